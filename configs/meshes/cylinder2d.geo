// Flow past a cylinder of radius 0.5 in the box [-5,15] x [-5,5]; groups wall, inlet, outlet, farfield.
// gmsh cylinder2d.geo -2 -order 2 -format msh22 -o cylinder2d-tri-order2-v22.msh
// gmsh cylinder2d.geo -2 -setnumber Mesh.RecombineAll 1 -setnumber Mesh.SubdivisionAlgorithm 1 -setnumber Mesh.MeshSizeFactor 2
//   with -order 3 -format msh41 -bin -o cylinder2d-quad-order3-v41bin.msh
SetFactory("OpenCASCADE");
Rectangle(1) = {-5,-5,0,20,10}; Disk(2) = {0,0,0,0.5}; BooleanDifference(3) = {Surface{1};Delete;}{Surface{2};Delete;};
Mesh.MeshSizeMax = 1.2; Field[1]=Distance; Field[1].CurvesList={5}; Field[1].NumPointsPerCurve=100;
Field[2]=Threshold; Field[2].InField=1; Field[2].SizeMin=0.12; Field[2].SizeMax=1.2; Field[2].DistMin=0.3; Field[2].DistMax=5; Background Field=2;
Physical Surface("fluid")={3};
w[]=Curve In BoundingBox{-0.6,-0.6,-1,0.6,0.6,1}; Physical Curve("wall")={w[]};
i[]=Curve In BoundingBox{-5.1,-6,-1,-4.9,6,1}; Physical Curve("inlet")={i[]};
o[]=Curve In BoundingBox{14.9,-6,-1,15.1,6,1}; Physical Curve("outlet")={o[]};
b[]=Curve In BoundingBox{-6,-5.1,-1,16,-4.9,1}; t[]=Curve In BoundingBox{-6,4.9,-1,16,5.1,1}; Physical Curve("farfield")={b[],t[]};
