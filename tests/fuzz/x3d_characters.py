"""H-Anim persons as X3D files, whole, odd and hostile, for the corpus of character_file."""


def person(inside="", skin="", joint="", head="", shape="<Box size='.2 .2 .2'/>"):
    return (f"<X3D version='4.0'><head>{head}</head><Scene><Transform scale='2 2 2'><HAnimHumanoid>\n"
            f"<HAnimJoint name='humanoid_root' containerField='skeleton' center='0 .9 0'>\n"
            f"<HAnimJoint name='vl5' center='0 1 0'{joint}>{inside}\n<HAnimSegment name='l5'>"
            f"<HAnimSite translation='0 1 0' rotation='0 1 0 1'><Shape><Appearance>"
            f"<Material transparency='.5'/></Appearance>{shape}</Shape></HAnimSite></HAnimSegment>"
            f"</HAnimJoint></HAnimJoint>\n{skin}</HAnimHumanoid></Transform></Scene></X3D>").encode()


def skin(geometry, points="0 1 0, 1 1 0, 1 2 0, 0 2 0"):
    return (f"<Coordinate DEF='c' containerField='skinCoord' point='{points}'/>"
            f"<Shape containerField='skin'><Appearance><PhysicalMaterial baseColor='1 0 0'/>"
            f"<PixelTexture image='2 1 4 0xFF0000FF 0x00FF0080'/><TextureTransform scale='2 2'/>"
            f"</Appearance>{geometry}</Shape>")


def x3d_characters():
    weights = " skinCoordIndex='0 1 2 3' skinCoordWeight='.5 1 1 -1'"
    moves = ("<HAnimDisplacer name='x_jawOpen_action' weight='.5' coordIndex='0 3' "
             "displacements='0 .1 0, .1 0 0'/>")
    face = ("<IndexedFaceSet coordIndex='0 1 2 3 -1' {}>{}<Coordinate USE='c'/></IndexedFaceSet>")
    more = "<{0}><Coordinate point='0 0 0, 1 0 0, 0 1 0, 1 1 0'/></{1}>"
    yield person()
    yield person(moves, skin(face.format("creaseAngle='1' convex='false' solid='false'", "")), weights)
    yield person(skin=skin(face.format(
        "ccw='false' normalPerVertex='false' colorPerVertex='false' texCoordIndex='0 1 1 0 -1'",
        "<Normal vector='0 0 1'/><ColorRGBA color='1 0 0 .5'/><TextureCoordinate point='0 0 1 1'/>")))
    for kind, fields in (("TriangleSet", ""), ("QuadSet", ""), ("TriangleStripSet", " stripCount='4'"),
                         ("TriangleFanSet", " fanCount='4'"),
                         ("IndexedTriangleSet", " index='0 1 2'"),
                         ("IndexedQuadSet", " index='0 1 3 2'"),
                         ("IndexedTriangleStripSet", " index='0 1 2 3 -1 2'"),
                         ("IndexedTriangleFanSet", " index='0 1 -1 1 2 3'")):
        yield person(shape=more.format(kind + fields, kind))
    for solid in ("<Sphere/>", "<Cylinder top='false'/>", "<Cone bottomRadius='-1'/>", "<Text/>"):
        yield person(shape=solid)
    yield person("<HAnimSegment><Coordinate DEF='s' containerField='coord' point='0 0 0 1 0 0 0 1 0'/>" +
                 moves.replace("0 3", "0 2") + "<Switch whichChoice='0'><LOD><Shape><IndexedFaceSet "
                 "coordIndex='0 1 2'><Coordinate USE='s'/></IndexedFaceSet></Shape></LOD></Switch>"
                 "</HAnimSegment>", head="<unit category='length' name='cm' conversionFactor='.01'/>"
                 "<unit category='angle' name='degree' conversionFactor='.0174533'/>")
    # Displacements that turn with one of several joints, features, normals of the skin, turned limits.
    yield person("<HAnimDisplacer name='a_action' weight='1' coordIndex='0 1' displacements='0 .1 0 "
                 "1 0 0'/><HAnimDisplacer name='b_feature' coordIndex='1 2 99 -1 .5'/>",
                 skin(face.format("", "")) + "<Normal containerField='skinNormal' vector='"
                 + "0 0 1 " * 4 + "'/>", " limitOrientation='0 1 0 1' llimit='-1 -1 -1' "
                 "ulimit='1 1 1' skinCoordIndex='0 1' skinCoordWeight='.5 .25'")
    yield person(skin=skin(face.format("", "")) + "<Normal containerField='skinNormal' vector='0 0 1'/>")
    yield person("<HAnimSegment name='skull' mass='1' momentsOfInertia='1 0 0 0 1 0 0 0 1e38'>"
                 "<Inline url='\"../a.x3d\" \"b.x3d\"'/></HAnimSegment>")
    yield (b"#VRML V2.0 utf8\nPROTO Joint [ ] { Group { } } PROTO Segment [ ] { Group { } } PROTO "
           b"Humanoid [ ] { Group { } } PROTO Ball [ field SFFloat r 1 ] { Shape { geometry Sphere { "
           b"radius IS r } } }\nHumanoid { humanoidBody Joint { name \"HumanoidRoot\" children Segment "
           b"{ children [ Ball { r 2 } Ball { } ] } } }")
    # Hostile: indices beyond any list, numbers beyond any body, and few words that say much.
    yield person(skin=skin(face.format("", "").replace("2 3 -1", "1000000000")))
    yield person(skin=skin(face.format("", "")), joint=" skinCoordIndex='1000000000' "
                 "skinCoordWeight='1'")
    yield person(skin=skin(face.format("", ""), "1e38 1e38 1e38, 1 1 1, 0 0 0, -1e38 0 0"))
    yield person(skin=skin(face.format("", ""), "9e8 9e8 9e8, 1 1 1, 0 0 0, -9e8 0 0"), joint=weights)
    yield person(shape=more.format("TriangleStripSet stripCount='16777216'", "TriangleStripSet"))
    yield person(shape="<Box size='0 1 nan'/>")
    yield person("".join(f"<Group DEF='n{i}'><Group USE='n{i - 1}'/><Group USE='n{i - 1}'/></Group>"
                         if i else "<Group DEF='n0'><Shape><Sphere/></Shape></Group>"
                         for i in range(9)))
    yield person("".join(f"<HAnimDisplacer name='a' coordIndex='{'0 ' * 50}' displacements="
                         f"'{'1 0 0 ' * 50}'/>" for _ in range(40)), skin(face.format("", "")))
    yield (b"#X3D V4.0 utf8\nHAnimHumanoid { skeleton HAnimJoint { name \"humanoid_root\" children "
           b"HAnimSegment { children Shape { appearance Appearance { material Material { } } geometry "
           b"Sphere { } } } } }")
    yield b"#VRML V2.0 utf8\nShape { geometry Box { } }"
