// Unit cube of prisms: a triangulated square, extruded, all boundaries named.
// gmsh prism3d.geo -3 -format msh41 -o prism3d-v41.msh
Point(1)={0,0,0,.3};Point(2)={1,0,0,.3};Point(3)={1,1,0,.3};Point(4)={0,1,0,.3};
Line(1)={1,2};Line(2)={2,3};Line(3)={3,4};Line(4)={4,1};Curve Loop(1)={1,2,3,4};Plane Surface(1)={1};
p[]=Extrude{0,0,1}{Surface{1};Layers{3};Recombine;};
Point(101)={1,0,0,.3};
Physical Volume("domain")={p[1]};Physical Surface("bottom")={1};Physical Surface("top")={p[0]};Physical Surface("sides")={p[2],p[3],p[4],p[5]};
