// Quarter of an annulus, 1 <= r <= 2, height 1: hexahedra with curved (order 3) sides.
// gmsh annulus3d.geo -3 -order 3 -format msh41 -bin -o annulus3d-hex-order3-v41bin.msh
SetFactory("Built-in"); Point(1)={0,0,0};Point(2)={1,0,0};Point(3)={2,0,0};Point(4)={0,2,0};Point(5)={0,1,0};
Line(1)={2,3};Circle(2)={3,1,4};Line(3)={4,5};Circle(4)={5,1,2};Curve Loop(1)={1,2,3,4};Plane Surface(1)={1};
Transfinite Curve{1,3}=4;Transfinite Curve{2,4}=6;Transfinite Surface{1};Recombine Surface{1};
o[]=Extrude{0,0,1}{Surface{1};Layers{3};Recombine;};
Physical Volume("domain")={o[1]};Physical Surface("bottom")={1};Physical Surface("top")={o[0]};Physical Surface("outer")={o[3]};Physical Surface("inner")={o[5]};Physical Surface("sides")={o[2],o[4]};
