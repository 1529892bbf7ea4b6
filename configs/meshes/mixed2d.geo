// Unit square, left half quadrilaterals, right half triangles, all four sides named.
// gmsh mixed2d.geo -2 -format msh41 -o mixed2d-tri-quad-v41.msh
Point(1)={0,0,0,.1};Point(2)={.5,0,0,.1};Point(3)={1,0,0,.1};Point(4)={1,1,0,.1};Point(5)={.5,1,0,.1};Point(6)={0,1,0,.1};
Line(1)={1,2};Line(2)={2,5};Line(3)={5,6};Line(4)={6,1};Line(5)={2,3};Line(6)={3,4};Line(7)={4,5};
Curve Loop(1)={1,2,3,4};Plane Surface(1)={1};Curve Loop(2)={5,6,7,-2};Plane Surface(2)={2};
Transfinite Curve{1,3}=6;Transfinite Curve{2,4}=11;Transfinite Surface{1};Recombine Surface{1};
Physical Surface("domain")={1,2};Physical Curve("bottom")={1,5};Physical Curve("top")={3,7};Physical Curve("left")={4};Physical Curve("right")={6};
