"""The collocated scheme on Gauss-Lobatto nodes for the Euler equations on squares, written a second time, with numpy alone.

Weak form with the quadrature at the nodes, local Lax-Friedrichs flux, the exact state outside (Kopriva and Gassner 2010, J. Sci. Comput.
44, 136-155, doi 10.1007/s10915-010-9372-3; Hesthaven and Warburton 2008, section 6.6, for the problem). The classical Runge-Kutta method
with steps so short that its error is not seen.
"""

import numpy

GAMMA, BETA = 1.4, 5.0
LOWER, UPPER = numpy.array([0.0, -5.0]), numpy.array([10.0, 5.0])


def lobatto(order):
    """Nodes and weights on [-1, 1], and the matrix of derivatives at the nodes."""
    legendre = numpy.polynomial.legendre
    nodes = numpy.concatenate(([-1.0], numpy.sort(legendre.Legendre.basis(order).deriv().roots().real), [1.0]))
    weights = 2 / (order * (order + 1) * legendre.Legendre.basis(order)(nodes) ** 2)
    vandermonde = legendre.legvander(nodes, order)
    slopes = numpy.stack([legendre.Legendre.basis(k).deriv()(nodes) for k in range(order + 1)], axis=1)
    return nodes, weights, slopes @ numpy.linalg.inv(vandermonde)


def vortex(x, y, t):
    """rho, m_x, m_y, E along a new first axis."""
    r2 = (x - t - 5) ** 2 + y**2
    temperature = 1 - (GAMMA - 1) * BETA**2 / (16 * GAMMA * numpy.pi**2) * numpy.exp(2 * (1 - r2))
    rho, p = temperature ** (1 / (GAMMA - 1)), temperature ** (GAMMA / (GAMMA - 1))
    u = 1 - BETA / (2 * numpy.pi) * y * numpy.exp(1 - r2)
    v = BETA / (2 * numpy.pi) * (x - t - 5) * numpy.exp(1 - r2)
    return numpy.stack([rho, rho * u, rho * v, p / (GAMMA - 1) + rho * (u**2 + v**2) / 2])


def flux(q, direction):
    speed = q[1 + direction] / q[0]
    p = (GAMMA - 1) * (q[3] - (q[1] ** 2 + q[2] ** 2) / (2 * q[0]))
    result = q * speed
    result[1 + direction] += p
    result[3] += p * speed
    return result


def fastest(q, direction):
    p = (GAMMA - 1) * (q[3] - (q[1] ** 2 + q[2] ** 2) / (2 * q[0]))
    return numpy.abs(q[1 + direction] / q[0]) + numpy.sqrt(GAMMA * p / q[0])


def lax_friedrichs(left, right, direction):
    speed = numpy.maximum(fastest(left, direction), fastest(right, direction))
    return (flux(left, direction) + flux(right, direction) - speed * (right - left)) / 2


class Squares:
    """`count` x `count` cells; arrays are [variable][cell x][cell y][node x][node y]."""

    def __init__(self, order, count):
        nodes, self.weights, slopes = lobatto(order)
        self.size = (UPPER - LOWER) / count
        self.weak = slopes.T * self.weights[None, :] / self.weights[:, None]
        edges = [LOWER[d] + self.size[d] * (numpy.arange(count)[:, None] + (nodes[None, :] + 1) / 2) for d in range(2)]
        shape = (count, count, order + 1, order + 1)
        self.x = numpy.broadcast_to(edges[0][:, None, :, None], shape)
        self.y = numpy.broadcast_to(edges[1][None, :, None, :], shape)

    def rate(self, q, t):
        total = numpy.zeros_like(q)
        for d in range(2):
            inner = numpy.moveaxis(flux(q, d), 3 + d, -1) @ self.weak.T
            cells = numpy.moveaxis(q, (1 + d, 3 + d), (1, -1))  # [variable][cell along d][cell across][node across][node along d]
            x, y = (numpy.moveaxis(c, (d, 2 + d), (0, -1)) for c in (self.x, self.y))
            before = numpy.concatenate((vortex(x[:1, ..., 0], y[:1, ..., 0], t), cells[..., -1]), axis=1)
            after = numpy.concatenate((cells[..., 0], vortex(x[-1:, ..., -1], y[-1:, ..., -1], t)), axis=1)
            faces = lax_friedrichs(before, after, d)
            inner = numpy.moveaxis(inner, 1 + d, 1)
            inner[..., 0] += faces[:, :-1] / self.weights[0]
            inner[..., -1] -= faces[:, 1:] / self.weights[-1]
            total += 2 / self.size[d] * numpy.moveaxis(inner, (1, -1), (1 + d, 3 + d))
        return total

    def momentum_error(self, q, t):
        """L2 norm of the error of the momentum vector, not divided by the area, by a quadrature of order + 3 Gauss points."""
        order = len(self.weights) - 1
        points, weights = numpy.polynomial.legendre.leggauss(order + 3)
        vandermonde = numpy.polynomial.legendre.legvander(lobatto(order)[0], order)
        to_points = numpy.polynomial.legendre.legvander(points, order) @ numpy.linalg.inv(vandermonde)
        at_points = [numpy.einsum("ai,...ij,bj->...ab", to_points, values, to_points) for values in (q, self.x, self.y)]
        squares = ((at_points[0] - vortex(at_points[1], at_points[2], t))[1:3] ** 2).sum(axis=0)
        return float(numpy.sqrt(numpy.prod(self.size) / 4 * (squares * weights[:, None] * weights[None, :]).sum()))


def vortex_momentum_error(order, count, end=4.0, courant=0.8):
    """The error at time `end` on `count` x `count` cells."""
    squares = Squares(order, count)
    steps = int(numpy.ceil(end / (courant * squares.size[0] / (order + 1) ** 2 / 2.5)))
    dt, q = end / steps, vortex(squares.x, squares.y, 0.0)
    for step in range(steps):
        t = step * dt
        k1 = squares.rate(q, t)
        k2 = squares.rate(q + dt / 2 * k1, t + dt / 2)
        k3 = squares.rate(q + dt / 2 * k2, t + dt / 2)
        k4 = squares.rate(q + dt * k3, t + dt)
        q = q + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return squares.momentum_error(q, end)
