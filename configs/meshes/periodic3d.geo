// Periodic unit cube of tetrahedra: $Periodic links in x, y and z, no boundary groups.
// gmsh periodic3d.geo -3 -format msh41 -bin -o periodic3d-tet-v41bin.msh
// gmsh periodic3d.geo -3 -format msh22 -bin -o periodic3d-tet-v22bin.msh   (Gmsh 4.8 leaves $Periodic out of this one)
SetFactory("OpenCASCADE"); Box(1)={0,0,0,1,1,1}; Mesh.MeshSizeMax=0.22; Mesh.MeshSizeMin=0.22;
a[]=Surface In BoundingBox{-.1,-.1,-.1,.1,1.1,1.1}; b[]=Surface In BoundingBox{.9,-.1,-.1,1.1,1.1,1.1}; Periodic Surface{b[]}={a[]} Translate{1,0,0};
c[]=Surface In BoundingBox{-.1,-.1,-.1,1.1,.1,1.1}; d[]=Surface In BoundingBox{-.1,.9,-.1,1.1,1.1,1.1}; Periodic Surface{d[]}={c[]} Translate{0,1,0};
e[]=Surface In BoundingBox{-.1,-.1,-.1,1.1,1.1,.1}; f[]=Surface In BoundingBox{-.1,-.1,.9,1.1,1.1,1.1}; Periodic Surface{f[]}={e[]} Translate{0,0,1};
Physical Volume("fluid")={1};
