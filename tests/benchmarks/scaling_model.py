#!/usr/bin/env python3
"""Predicts the time of a stage on many GPUs from measured rates, latencies and bandwidths, and prints tables in Markdown.

    python3 tests/benchmarks/scaling_model.py [--exchange ipc] [--elements 175616] [--total 1000000000] ... | --self-test

A part of n elements of a box, cut along the curve, has FACES n^(2/3) faces to others. A stage of it:

    shared   elements at those faces                          latency + s d / R, s of them, d DOF each, R the rate of a GPU
    chain    their values travel while the rest is computed   packing, copies over the host's bus, messages, copies back
    inner    the other elements                               latency + (n - s) d / R
    stage    the larger of what device and host do            max(shared + max(inner, chain) + unpacking, calls of the host)

and a step of `stages` of them ends with a pass over the state for the time step and a reduction over all ranks. Times are in seconds, sizes in
bytes. docs/scaling.md says which numbers were measured, and where. Needs Python alone.
"""

import argparse
import dataclasses
import math
import sys


@dataclasses.dataclass(frozen=True)
class Inputs:
    # The problem: Euler on affine hexahedra, p = 3, double precision.
    nodes: int = 64  # of an element
    face_nodes: int = 16
    variables: int = 5
    real_bytes: int = 8
    stages: int = 5  # of a step
    registers: int = 3  # states that a GPU holds: two and the residual
    # Parts (measured: mesh_benchmark).
    faces: float = 12.5  # of a part to others, over n^(2/3): the largest seen
    neighbours: int = 14  # likewise
    # One GPU (measured: H200).
    rate: float = 92e9  # DOF/s of a stage
    copy: float = 4.17e12  # bytes/s, read and written together
    latency: float = 5.0e-6  # of a stage's kernel, however small
    call: float = 4.4e-6  # of the host for a launch, copy or wait
    # Between GPUs (assumed: nominal values with usual shares of them).
    node: int = 8  # GPUs
    bus: float = 50e9  # bytes/s from or to the host
    nvlink: float = 360e9  # bytes/s sent by a GPU
    network: float = 45e9  # bytes/s sent by a GPU to other nodes
    message: float = 1.0e-6  # of the host, to send or to receive one
    flight: float = 3.0e-6  # of a message
    small_kernel: float = 3.0e-6  # packing or unpacking, however small
    exchange: str = "staged"  # ipc: within a node straight over NVLink; device: MPI takes the GPU's memory
    launches: str = "single"  # or recorded: the host's calls of a stage count as one
    # Output (assumed).
    file_system: float = 500e9  # bytes/s
    outputs: int = 1  # fields of all variables, in an output

    @property
    def element_dofs(self):
        return self.nodes * self.variables


@dataclasses.dataclass(frozen=True)
class Stage:
    """Seconds, of one GPU of many."""

    shared: float
    inner: float
    chain: float
    unpack: float
    host: float
    step: float  # a stage's share of what is done once a step

    @property
    def device(self):
        return self.shared + max(self.inner, self.chain) + self.unpack

    @property
    def total(self):
        return max(self.device, self.host) + self.step

    @property
    def binds(self):
        if self.host > self.device:
            return "calls of the host"
        return "exchange" if self.chain > self.inner else "computing"


def part_faces(inputs, elements):
    """Faces of a part to parts on other GPUs; no more than the elements have."""
    return min(inputs.faces * elements ** (2 / 3), 6 * elements)


def off_node_share(inputs, ranks):
    """Of a part's faces, those to other nodes: the parts of a node are together one piece of the curve."""
    if ranks <= inputs.node:
        return 0.0
    return inputs.node ** (2 / 3) / inputs.node


def kernel(inputs, elements):
    return inputs.latency + elements * inputs.element_dofs / inputs.rate if elements > 0 else 0.0


def alone(inputs, elements):
    """A stage on one GPU without others: recorded steps, no exchange, no reduction over ranks."""
    return kernel(inputs, elements) + step_pass(inputs, elements) / inputs.stages


def step_pass(inputs, elements):
    """The pass over the state that finds the largest wave speed, and its result on the host."""
    return inputs.latency + elements * inputs.element_dofs * inputs.real_bytes / inputs.copy + 2 * inputs.call


def message_time(inputs, neighbours):
    return inputs.flight + 2 * neighbours * inputs.message


def exchange_chain(inputs, size, off_node, neighbours):
    """From the shared elements' end to the values in this GPU's memory; `size` bytes, the share `off_node` to other nodes."""
    packing = inputs.small_kernel + 2 * size / inputs.copy
    if inputs.exchange == "device":
        return packing + inputs.call + message_time(inputs, neighbours) + max(size * off_node / inputs.network, size * (1 - off_node) / inputs.nvlink)
    staged = size if inputs.exchange == "staged" else size * off_node
    peers = neighbours if inputs.exchange == "staged" else math.ceil(neighbours * off_node)
    direct = 0.0 if inputs.exchange == "staged" else (size - staged) / inputs.nvlink
    if staged == 0:
        return packing + direct
    # Between the GPUs of a node messages pass through the host's memory: the copies are what they cost.
    wire = size * off_node / inputs.network
    return packing + max(direct, 2 * (inputs.call + staged / inputs.bus) + message_time(inputs, peers) + wire)


def host_calls(inputs, neighbours):
    """Launches of shared, inner, packing, unpacking; two copies, an event, two waits; messages."""
    if inputs.launches == "recorded":
        return inputs.call + 2 * neighbours * inputs.message
    return 9 * inputs.call + 2 * neighbours * inputs.message


def stage(inputs, elements, ranks):
    """A stage with `elements` elements a GPU on so many GPUs."""
    if ranks == 1:
        return Stage(0.0, kernel(inputs, elements), 0.0, 0.0, 0.0, step_pass(inputs, elements) / inputs.stages)
    faces = part_faces(inputs, elements)
    shared = min(elements, faces)
    size = faces * inputs.face_nodes * inputs.variables * inputs.real_bytes
    neighbours = min(inputs.neighbours, ranks - 1)
    reduction = 2 * math.ceil(math.log2(ranks)) * (inputs.flight + inputs.message)
    return Stage(
        shared=kernel(inputs, shared),
        inner=kernel(inputs, elements - shared),
        chain=exchange_chain(inputs, size, off_node_share(inputs, ranks), neighbours),
        unpack=inputs.small_kernel + 2 * size / inputs.copy,
        host=host_calls(inputs, neighbours),
        step=(step_pass(inputs, elements) + reduction) / inputs.stages,
    )


def efficiency(inputs, elements, ranks):
    """Of the rate that a full GPU has by itself: elements over time, against the same without latencies, exchange and reduction."""
    ideal = elements * inputs.element_dofs * (1 / inputs.rate + inputs.real_bytes / inputs.copy / inputs.stages)
    return ideal / stage(inputs, elements, ranks).total


def elements_at(inputs, wanted, ranks):
    """The fewest elements a GPU with this efficiency; None if none reaches it below 10^9."""
    low, high = 1.0, 1e9
    if efficiency(inputs, high, ranks) < wanted:
        return None
    while high / low > 1.001:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if efficiency(inputs, middle, ranks) >= wanted else (middle, high)
    return high


def mesh_bytes(inputs, elements):
    """Of a rank's part of the mesh (measured): its elements, and as many ghosts as faces."""
    return 268 * elements + 290 * part_faces(inputs, elements)


def device_bytes(inputs, elements):
    return inputs.registers * inputs.real_bytes * inputs.element_dofs * elements


def row(cells):
    return "| " + " | ".join(cells) + " |"


def curve(inputs, points):
    """Lines of a table; `points`: (GPUs, elements a GPU)."""
    names = ("GPUs", "elements a GPU", "stage, us", "shared", "inner", "exchange", "host", "a step's, over its stages", "efficiency", "binds", "TDOF/s")
    lines = [row(names), row(["---"] * len(names))]
    for ranks, elements in points:
        found = stage(inputs, elements, ranks)
        total = ranks * elements * inputs.element_dofs / found.total
        parts = [found.total, found.shared, found.inner, found.chain, found.host, found.step]
        lines.append(
            row([f"{ranks:,}", f"{elements:,.0f}", *[f"{seconds * 1e6:.1f}" for seconds in parts], f"{100 * efficiency(inputs, elements, ranks):.0f}%", found.binds, f"{total * 1e-12:.4g}"])
        )
    return lines


def ends(inputs, ranks, wanted):
    """Where strong scaling ends, by what carries values and how kernels are launched."""
    lines = [row(["exchange", "launches", f"elements a GPU at {100 * wanted:.0f}%", "DOF a GPU", "stage, us", "binds"]), row(["---"] * 6)]
    for exchange in ("staged", "ipc", "device"):
        for launches in ("single", "recorded"):
            changed = dataclasses.replace(inputs, exchange=exchange, launches=launches)
            elements = elements_at(changed, wanted, ranks)
            if elements is None:
                lines.append(row([exchange, launches, "never", "", "", ""]))
                continue
            found = stage(changed, elements, ranks)
            lines.append(row([exchange, launches, f"{elements:,.0f}", f"{elements * inputs.element_dofs:.3g}", f"{found.total * 1e6:.0f}", found.binds]))
    return lines


def report(inputs, elements, total, ranks, wanted):
    weak = [(count, elements) for count in (1, 2, 8, 16, 128, 1024, ranks)]
    strong = [(count, total / count) for count in (ranks // 100, ranks // 20, ranks // 4, ranks, 4 * ranks, 16 * ranks) if count > 0]
    output = inputs.outputs * elements * ranks * inputs.element_dofs * inputs.real_bytes
    lines = [f"Weak, {elements:,} elements a GPU:", "", *curve(inputs, weak), "", f"Strong, {total:,} elements:", "", *curve(inputs, strong), ""]
    lines += [f"Where strong scaling ends, {ranks:,} GPUs:", "", *ends(inputs, ranks, wanted), ""]
    lines += [
        f"Of a rank, {elements:,} elements: {device_bytes(inputs, elements) * 1e-9:.2f} GB of states on the GPU, {mesh_bytes(inputs, elements) * 1e-6:.0f} MB of mesh, "
        f"{inputs.neighbours} messages of {part_faces(inputs, elements) * inputs.face_nodes * inputs.variables * inputs.real_bytes / inputs.neighbours * 1e-6:.2f} MB a stage. "
        f"An output of {ranks:,} GPUs: {output * 1e-12:.2f} TB, {output / inputs.file_system:.1f} s, as long as "
        f"{output / inputs.file_system / stage(inputs, elements, ranks).total / inputs.stages:,.0f} steps."
    ]
    return "\n".join(lines)


def self_test():
    """Against cases computed by hand."""
    easy = Inputs(
        nodes=8, face_nodes=4, variables=1, real_bytes=8, stages=4, faces=6, neighbours=10, rate=1e9, copy=1e12, latency=1e-6, call=2e-6, node=8,
        bus=1e9, nvlink=1e10, network=1e9, message=1e-6, flight=5e-6, small_kernel=1e-6,
    )  # fmt: skip

    def check(name, found, expected):
        if not math.isclose(found, expected, rel_tol=1e-12):
            sys.exit(f"self-test: {name}: {found!r}, by hand {expected!r}")

    # 1000 elements: 600 faces, 32 bytes each: 19,200 bytes, on 16 GPUs half of them to the other node.
    check("faces", part_faces(easy, 1000), 600)
    check("no more faces than there are", part_faces(easy, 0.5), 3)
    check("share to other nodes", off_node_share(easy, 16), 0.5)
    check("share on one node", off_node_share(easy, 8), 0)
    found = stage(easy, 1000, 16)
    check("shared", found.shared, 1e-6 + 600 * 8e-9)
    check("inner", found.inner, 1e-6 + 400 * 8e-9)
    # Packing 1 + 0.0384 us, copies 2 (2 + 19.2) us, messages 5 + 20 us, wire 9.6 us.
    check("exchange", found.chain, 1e-6 + 0.0384e-6 + 42.4e-6 + 25e-6 + 9.6e-6)
    check("unpack", found.unpack, 1.0384e-6)
    check("host", found.host, 18e-6 + 20e-6)
    # The pass: 1 + 0.064 + 4 us; the reduction: 2 x 4 x 6 us; over four stages.
    check("step", found.step, (5.064e-6 + 48e-6) / 4)
    check("stage", found.total, 5.8e-6 + 78.0384e-6 + 1.0384e-6 + 13.266e-6)
    check("efficiency", efficiency(easy, 1000, 16), (8e-6 + 0.016e-6) / 98.1428e-6)
    # Straight over NVLink 0.96 us beside what goes to the other node: 2 (2 + 9.6) + 5 + 10 + 9.6 us.
    check("ipc", stage(dataclasses.replace(easy, exchange="ipc"), 1000, 16).chain, 1.0384e-6 + 47.8e-6)
    check("ipc on one node", stage(dataclasses.replace(easy, exchange="ipc"), 1000, 8).chain, 1.0384e-6 + 1.92e-6)
    check("device", stage(dataclasses.replace(easy, exchange="device"), 1000, 16).chain, 1.0384e-6 + 2e-6 + 25e-6 + 9.6e-6)
    check("recorded", stage(dataclasses.replace(easy, launches="recorded"), 1000, 16).host, 22e-6)
    check("one GPU", stage(easy, 1000, 1).total, 9e-6 + 5.064e-6 / 4)
    check("mesh", mesh_bytes(easy, 1000), 268000 + 290 * 600)
    check("states", device_bytes(easy, 1000), 3 * 8 * 8 * 1000)
    where = elements_at(easy, 0.5, 16)
    if not efficiency(easy, where, 16) >= 0.5 > efficiency(easy, where * 0.99, 16):
        sys.exit(f"self-test: half the rate at {where}")
    if stage(easy, 1000, 16).binds != "exchange" or stage(easy, 10**7, 16).binds != "computing":
        sys.exit("self-test: what binds")
    if elements_at(easy, 0.999999, 16) is not None:
        sys.exit("self-test: an efficiency that no part reaches")
    rows = [line.count("|") for line in report(easy, 1000, 10**6, 100, 0.5).splitlines() if line.startswith("|")]
    if rows != (2 + 7) * [12] + (2 + 6) * [12] + (2 + 6) * [7]:
        sys.exit(f"self-test: columns of the rows: {rows}")
    print("self-test: the model is as by hand")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    for field in dataclasses.fields(Inputs):
        choices = {"exchange": ("staged", "ipc", "device"), "launches": ("single", "recorded")}.get(field.name)
        parser.add_argument("--" + field.name.replace("_", "-"), type=field.type, default=field.default, choices=choices, help=" ")
    parser.add_argument("--elements", type=int, default=56**3, help="a GPU, of the weak curve")
    parser.add_argument("--total", type=int, default=10**9, help="elements of the strong curve")
    parser.add_argument("--gpus", type=int, default=10_000, help=" ")
    parser.add_argument("--wanted", type=float, default=0.8, help="efficiency at which strong scaling ends")
    parser.add_argument("--self-test", action="store_true", help="compare with cases computed by hand")
    options = vars(parser.parse_args())
    own = [options.pop(name) for name in ("elements", "total", "gpus", "wanted")]
    if options.pop("self_test"):
        return self_test()
    print(report(Inputs(**options), *own))


if __name__ == "__main__":
    main()
