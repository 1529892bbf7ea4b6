// A block of hexahedra below a block of tetrahedra; Gmsh joins them with pyramids.
// gmsh mixed3d.geo -3 -format msh41 -o mixed3d-hex-pyramid-tet-v41.msh
SetFactory("Built-in"); h=0.34;
Point(1)={0,0,0,h};Point(2)={1,0,0,h};Point(3)={1,1,0,h};Point(4)={0,1,0,h};Line(1)={1,2};Line(2)={2,3};Line(3)={3,4};Line(4)={4,1};
Curve Loop(1)={1,2,3,4};Plane Surface(1)={1};Transfinite Curve{1,2,3,4}=4;Transfinite Surface{1};Recombine Surface{1};
a[]=Extrude{0,0,.5}{Surface{1};Layers{2};Recombine;};
Point(21)={0,0,1.5,h};Point(22)={1,0,1.5,h};Point(23)={1,1,1.5,h};Point(24)={0,1,1.5,h};Line(21)={21,22};Line(22)={22,23};Line(23)={23,24};Line(24)={24,21};
b[]=Boundary{Surface{a[0]};};
Line(31)={5,21};Line(32)={6,22};Line(33)={10,23};Line(34)={14,24};
Curve Loop(41)={b[0],32,-21,-31};Plane Surface(41)={41};Curve Loop(42)={b[1],33,-22,-32};Plane Surface(42)={42};
Curve Loop(43)={b[2],34,-23,-33};Plane Surface(43)={43};Curve Loop(44)={b[3],31,-24,-34};Plane Surface(44)={44};
Curve Loop(45)={21,22,23,24};Plane Surface(45)={45};
Surface Loop(1)={a[0],41,42,43,44,45};Volume(2)={1};
Physical Volume("domain")={a[1],2};Physical Surface("bottom")={1};Physical Surface("top")={45};Physical Surface("sides")={a[2],a[3],a[4],a[5],41,42,43,44};
