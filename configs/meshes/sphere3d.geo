// Sphere of radius 0.5 in the cube [-2,2]^3: tetrahedra with curved (order 2) faces on the sphere.
// gmsh sphere3d.geo -3 -order 2 -format msh41 -o sphere3d-tet-order2-v41.msh
SetFactory("OpenCASCADE"); Box(1)={-2,-2,-2,4,4,4}; Sphere(2)={0,0,0,.5}; BooleanDifference(3)={Volume{1};Delete;}{Volume{2};Delete;};
Mesh.MeshSizeMax=1.0; Field[1]=Distance; s[]=Surface In BoundingBox{-.6,-.6,-.6,.6,.6,.6}; Field[1].SurfacesList={s[]}; Field[1].NumPointsPerCurve=30;
Field[2]=Threshold;Field[2].InField=1;Field[2].SizeMin=.25;Field[2].SizeMax=1;Field[2].DistMin=.1;Field[2].DistMax=1.5;Background Field=2;
Physical Volume("fluid")={3}; Physical Surface("sphere")={s[]}; all[]=Surface In BoundingBox{-3,-3,-3,3,3,3}; all[]-=s[]; Physical Surface("farfield")={all[]};
