# How tools name the bones of a human. A skeleton is recognised as a whole: the convention that finds
# most of its bones in it names all of them. To add a convention, add a block; no code is needed.
#
#   convention NAME SIDES    SIDES is how left and right are written: Left/Right. Several ways may be given.
#   trunk   Hips Spine Chest UpperChest Neck Neck2 Head HeadTip
#   arm     Shoulder UpperArm LowerArm Hand
#   leg     UpperLeg LowerLeg Foot Toes ToeTip
#   face    Jaw Eye Eyelid Eyebrow
#   thumb   Proximal Intermediate Distal Tip
#   index   Metacarpal Proximal Intermediate Distal Tip     also middle, ring, little
#
# Each line has the names of those bones in this order; what is missing at its end, the convention does
# not name. {} is the side, - is no name, | separates spellings, the likelier first: if one joint could
# be two bones, it is the one that is named first. Case does not matter, nor do _ . - and blanks, a name
# space (mixamorig:), a prefix or suffix that six or more bones share (CC_Base_, DEF-, _joint), and
# numbers that an exporter adds to most names (_041). Joints in the middle of an upper arm, forearm, thigh or shank,
# such as twist bones, belong to it and need no name.

# ISO/IEC 19774-1:2019 (X3D 4), names of version 1.
convention hanim_v1 l/r
trunk   HumanoidRoot vl5 vt12 vt6 vc7 vc4 skullbase skull_tip
arm     {}_sternoclavicular {}_shoulder {}_elbow {}_wrist
leg     {}_hip {}_knee {}_ankle {}_midtarsal {}_forefoot_tip
face    temporomandibular {}_eyeball_joint {}_eyelid_joint {}_eyebrow_joint
thumb   {}_thumb1 {}_thumb2 {}_thumb3 {}_thumb_distal_tip
index   {}_index0 {}_index1 {}_index2 {}_index3 {}_index_distal_tip
middle  {}_middle0 {}_middle1 {}_middle2 {}_middle3 {}_middle_distal_tip
ring    {}_ring0 {}_ring1 {}_ring2 {}_ring3 {}_ring_distal_tip
little  {}_pinky0 {}_pinky1 {}_pinky2 {}_pinky3 {}_pinky_distal_tip

# ISO/IEC 19774-1:2019, names of version 2.
convention hanim_v2 l/r
trunk   humanoid_root vl5 vt12 vt6 vc7 vc4 skullbase
arm     {}_sternoclavicular {}_shoulder {}_elbow {}_radiocarpal
leg     {}_hip {}_knee {}_talocrural {}_metatarsophalangeal_2
face    temporomandibular {}_eyeball_joint {}_eyelid_joint {}_eyebrow_joint
thumb   {}_carpometacarpal_1 {}_metacarpophalangeal_1 {}_carpal_interphalangeal_1
index   {}_carpometacarpal_2 {}_metacarpophalangeal_2 {}_carpal_proximal_interphalangeal_2 {}_carpal_distal_interphalangeal_2
middle  {}_carpometacarpal_3 {}_metacarpophalangeal_3 {}_carpal_proximal_interphalangeal_3 {}_carpal_distal_interphalangeal_3
ring    {}_carpometacarpal_4 {}_metacarpophalangeal_4 {}_carpal_proximal_interphalangeal_4 {}_carpal_distal_interphalangeal_4
little  {}_carpometacarpal_5 {}_metacarpophalangeal_5 {}_carpal_proximal_interphalangeal_5 {}_carpal_distal_interphalangeal_5

# NVIDIA ACE's biped: its Leg is the thigh.
convention ace Left/Right
trunk   Hips Spine1 Spine2 Chest Neck1 Neck2 Head HeadEnd
arm     {}Shoulder {}Arm {}ForeArm {}Hand
leg     {}Leg {}Shin {}Foot {}ToeBase {}ToeEnd
face    Jaw {}Eye
thumb   {}HandThumb1 {}HandThumb2 {}HandThumb3 {}HandThumbEnd
index   {}HandIndex1 {}HandIndex2 {}HandIndex3 {}HandIndex4 {}HandIndexEnd
middle  {}HandMiddle1 {}HandMiddle2 {}HandMiddle3 {}HandMiddle4 {}HandMiddleEnd
ring    {}HandRing1 {}HandRing2 {}HandRing3 {}HandRing4 {}HandRingEnd
little  {}HandPinky1 {}HandPinky2 {}HandPinky3 {}HandPinky4 {}HandPinkyEnd

# Unity's HumanBodyBones, and VRM 0.
convention unity Left/Right
trunk   Hips Spine Chest UpperChest Neck - Head
arm     {}Shoulder {}UpperArm {}LowerArm {}Hand
leg     {}UpperLeg {}LowerLeg {}Foot {}Toes
face    Jaw {}Eye
thumb   {}ThumbProximal {}ThumbIntermediate {}ThumbDistal
index   - {}IndexProximal {}IndexIntermediate {}IndexDistal
middle  - {}MiddleProximal {}MiddleIntermediate {}MiddleDistal
ring    - {}RingProximal {}RingIntermediate {}RingDistal
little  - {}LittleProximal {}LittleIntermediate {}LittleDistal

# VRM 1.0, whose thumb has other names than Unity's.
convention vrm1 left/right
trunk   hips spine chest upperChest neck - head
arm     {}Shoulder {}UpperArm {}LowerArm {}Hand
leg     {}UpperLeg {}LowerLeg {}Foot {}Toes
face    jaw {}Eye
thumb   {}ThumbMetacarpal {}ThumbProximal {}ThumbDistal
index   - {}IndexProximal {}IndexIntermediate {}IndexDistal
middle  - {}MiddleProximal {}MiddleIntermediate {}MiddleDistal
ring    - {}RingProximal {}RingIntermediate {}RingDistal
little  - {}LittleProximal {}LittleIntermediate {}LittleDistal

# Mixamo, Ready Player Me, HumanIK (MotionBuilder, Maya), Perception Neuron.
convention mixamo Left/Right
trunk   Hips Spine Spine1 Spine2 Neck Neck1 Head HeadTop_End
arm     {}Shoulder {}Arm {}ForeArm {}Hand
leg     {}UpLeg {}Leg {}Foot {}ToeBase|{}Toe {}Toe_End
face    Jaw {}Eye
thumb   {}HandThumb1 {}HandThumb2 {}HandThumb3 {}HandThumb4
index   {}InHandIndex {}HandIndex1 {}HandIndex2 {}HandIndex3 {}HandIndex4
middle  {}InHandMiddle {}HandMiddle1 {}HandMiddle2 {}HandMiddle3 {}HandMiddle4
ring    {}InHandRing {}HandRing1 {}HandRing2 {}HandRing3 {}HandRing4
little  {}InHandPinky {}HandPinky1 {}HandPinky2 {}HandPinky3 {}HandPinky4

# The same with a letter or two for the side: BEAT, Trinity's gestures, DeepMotion, rigs by hand.
convention mixamo_short L/R lf/rt
trunk   Hips|root Spine|Spine0 Spine1 Spine2|Spine3 Neck|Neck0 Neck1 Head
arm     {}_Shoulder {}_Arm {}_ForeArm|{}_Arm1 {}_Hand|{}_Wrist
leg     {}_UpLeg {}_Leg {}_Foot {}_ToeBase|{}_Toe

# CMU's takes as BVH "for MotionBuilder": the spine begins a joint lower than Mixamo's.
convention cmu Left/Right
trunk   Hips LowerBack Spine Spine1 Neck Neck1 Head
arm     {}Shoulder {}Arm {}ForeArm {}Hand
leg     {}UpLeg {}Leg {}Foot {}ToeBase
index   {}FingerBase {}HandIndex1

# Acclaim's ASF, in which CMU published its takes.
convention acclaim l/r
trunk   root lowerback upperback thorax lowerneck upperneck head
arm     {}clavicle {}humerus {}radius {}wrist
leg     {}femur {}tibia {}foot {}toes
thumb   {}thumb
index   - {}fingers

# BVH since Biovision; Xsens's BVH; CMU's takes "for 3ds Max".
convention bvh Left/Right
trunk   Hips|Hip|root Spine|Abdomen|ToSpine|Chest Chest|Chest2|Spine1 Chest4|Chest3|Chest2 Neck - Head
arm     {}Collar {}Shoulder {}Elbow {}Wrist
leg     {}Hip {}Knee {}Ankle {}Toe

# The same with the shoulder's joint before the arm.
convention bvh_upperarm Left/Right
trunk   Hips|Hip Spine|Abdomen|Chest Chest|Chest2 Chest4|Chest3|Chest2 Neck - Head
arm     {}Collar|{}Shoulder {}UpArm|{}UpperArm {}LowArm|{}LowerArm {}Hand
leg     {}UpLeg|{}UpperLeg {}LowLeg|{}LowerLeg {}Foot {}Toe

# Poser, DAZ's first two generations, CMU's takes "for DAZ".
convention poser l/r
trunk   hip abdomen chest - neck - head
arm     {}Collar {}Shldr {}ForeArm {}Hand
leg     {}Thigh {}Shin {}Foot {}Toe
face    jaw|lowerJaw {}Eye
thumb   {}Thumb1 {}Thumb2 {}Thumb3
index   {}Carpal1 {}Index1 {}Index2 {}Index3
middle  {}Carpal2 {}Mid1 {}Mid2 {}Mid3
ring    {}Carpal3 {}Ring1 {}Ring2 {}Ring3
little  {}Carpal4 {}Pinky1 {}Pinky2 {}Pinky3

# DAZ Genesis 3 and 8.
convention daz_genesis8 l/r
trunk   hip abdomenLower abdomenUpper|chestLower chestUpper neckLower neckUpper head
arm     {}Collar {}ShldrBend {}ForearmBend {}Hand
leg     {}ThighBend {}Shin {}Foot {}Toe
face    lowerJaw {}Eye
thumb   {}Thumb1 {}Thumb2 {}Thumb3
index   {}Carpal1 {}Index1 {}Index2 {}Index3
middle  {}Carpal2 {}Mid1 {}Mid2 {}Mid3
ring    {}Carpal3 {}Ring1 {}Ring2 {}Ring3
little  {}Carpal4 {}Pinky1 {}Pinky2 {}Pinky3

# DAZ Genesis 9.
convention daz_genesis9 l/r
trunk   hip spine1 spine2 spine4|spine3 neck1 neck2 head
arm     {}_shoulder {}_upperarm {}_forearm {}_hand
leg     {}_thigh {}_shin {}_foot {}_toes
face    lowerjaw {}_eye
thumb   {}_thumb1 {}_thumb2 {}_thumb3
index   {}_indexmetacarpal {}_index1 {}_index2 {}_index3
middle  {}_midmetacarpal {}_mid1 {}_mid2 {}_mid3
ring    {}_ringmetacarpal {}_ring1 {}_ring2 {}_ring3
little  {}_pinkymetacarpal {}_pinky1 {}_pinky2 {}_pinky3

# Xsens MVN, other than its BVH.
convention xsens Left/Right
trunk   Pelvis|Hips L5 L3|T12 T8 Neck - Head
arm     {}Shoulder {}UpperArm {}ForeArm|{}Forearm {}Hand
leg     {}UpperLeg {}LowerLeg {}Foot {}Toe

# Rokoko.
convention rokoko Left/Right
trunk   Hips Spine1|Spine Spine2 Spine4|Spine3 Neck - Head
arm     {}Shoulder {}Arm {}ForeArm {}Hand
leg     {}Thigh {}Shin {}Foot {}Toe
thumb   {}Finger1Metacarpal|{}Digit1Metacarpal {}Finger1Proximal|{}Digit1Proximal {}Finger1Distal|{}Digit1Distal {}Finger1Tip
index   {}Finger2Metacarpal|{}Digit2Metacarpal {}Finger2Proximal|{}Digit2Proximal {}Finger2Medial|{}Digit2Medial {}Finger2Distal|{}Digit2Distal {}Finger2Tip
middle  {}Finger3Metacarpal|{}Digit3Metacarpal {}Finger3Proximal|{}Digit3Proximal {}Finger3Medial|{}Digit3Medial {}Finger3Distal|{}Digit3Distal {}Finger3Tip
ring    {}Finger4Metacarpal|{}Digit4Metacarpal {}Finger4Proximal|{}Digit4Proximal {}Finger4Medial|{}Digit4Medial {}Finger4Distal|{}Digit4Distal {}Finger4Tip
little  {}Finger5Metacarpal|{}Digit5Metacarpal {}Finger5Proximal|{}Digit5Proximal {}Finger5Medial|{}Digit5Medial {}Finger5Distal|{}Digit5Distal {}Finger5Tip

# OptiTrack Motive.
convention optitrack L/R
trunk   Hip Ab Chest - Neck - Head
arm     {}Shoulder {}UArm {}FArm {}Hand
leg     {}Thigh {}Shin {}Foot {}Toe
thumb   {}Thumb1 {}Thumb2 {}Thumb3
index   - {}Index1 {}Index2 {}Index3
middle  - {}Middle1 {}Middle2 {}Middle3
ring    - {}Ring1 {}Ring2 {}Ring3
little  - {}Pinky1 {}Pinky2 {}Pinky3

# Sony mocopi.
convention mocopi l/r
trunk   root torso_2 torso_5 torso_7 neck_1 neck_2 head
arm     {}_shoulder {}_up_arm {}_low_arm {}_hand
leg     {}_up_leg {}_low_leg {}_foot {}_toes

# Unreal's mannequin up to version 4.
convention unreal l/r
trunk   pelvis spine_01 spine_02 spine_03 neck_01 - head
arm     clavicle_{} upperarm_{} lowerarm_{} hand_{}
leg     thigh_{} calf_{} foot_{} ball_{}
face    jaw eye_{}
thumb   thumb_01_{} thumb_02_{} thumb_03_{}
index   - index_01_{} index_02_{} index_03_{}
middle  - middle_01_{} middle_02_{} middle_03_{}
ring    - ring_01_{} ring_02_{} ring_03_{}
little  - pinky_01_{} pinky_02_{} pinky_03_{}

# Unreal's mannequin of version 5, and MetaHuman.
convention unreal5 l/r
trunk   pelvis spine_01 spine_03 spine_05 neck_01 neck_02 head
arm     clavicle_{} upperarm_{} lowerarm_{} hand_{}
leg     thigh_{} calf_{} foot_{} ball_{}
face    FACIAL_C_Jaw FACIAL_{}_Eye
thumb   thumb_01_{} thumb_02_{} thumb_03_{}
index   index_metacarpal_{} index_01_{} index_02_{} index_03_{}
middle  middle_metacarpal_{} middle_01_{} middle_02_{} middle_03_{}
ring    ring_metacarpal_{} ring_01_{} ring_02_{} ring_03_{}
little  pinky_metacarpal_{} pinky_01_{} pinky_02_{} pinky_03_{}

# Blender: Rigify's DEF- and ORG- bones and its metarig.
convention rigify L/R
trunk   spine spine.001 spine.002 spine.003 spine.004 spine.005 spine.006
arm     shoulder.{} upper_arm.{} forearm.{} hand.{}
leg     thigh.{} shin.{} foot.{} toe.{}
face    jaw eye.{}
thumb   thumb.01.{} thumb.02.{} thumb.03.{}
index   palm.01.{} f_index.01.{} f_index.02.{} f_index.03.{}
middle  palm.02.{} f_middle.01.{} f_middle.02.{} f_middle.03.{}
ring    palm.03.{} f_ring.01.{} f_ring.02.{} f_ring.03.{}
little  palm.04.{} f_pinky.01.{} f_pinky.02.{} f_pinky.03.{}

# Blender: rigs by hand, and Rigify's names with a trunk of words.
convention blender L/R
trunk   hips|pelvis spine chest|spine.001 upper_chest|spine.002 neck - head
arm     shoulder.{}|clavicle.{} upper_arm.{} forearm.{}|lower_arm.{} hand.{}
leg     thigh.{}|upper_leg.{} shin.{}|lower_leg.{}|calf.{} foot.{} toe.{}
face    jaw eye.{}
thumb   thumb.01.{} thumb.02.{} thumb.03.{}
index   palm.01.{} f_index.01.{}|finger_index.01.{} f_index.02.{}|finger_index.02.{} f_index.03.{}|finger_index.03.{}
middle  palm.02.{} f_middle.01.{}|finger_middle.01.{} f_middle.02.{}|finger_middle.02.{} f_middle.03.{}|finger_middle.03.{}
ring    palm.03.{} f_ring.01.{}|finger_ring.01.{} f_ring.02.{}|finger_ring.02.{} f_ring.03.{}|finger_ring.03.{}
little  palm.04.{} f_pinky.01.{}|finger_pinky.01.{} f_pinky.02.{}|finger_pinky.02.{} f_pinky.03.{}|finger_pinky.03.{}

# MakeHuman and MPFB, default rig.
convention makehuman L/R
trunk   root spine05 spine03 spine01 neck01 neck02 head
arm     clavicle.{} upperarm01.{} lowerarm01.{} wrist.{}
leg     upperleg01.{} lowerleg01.{} foot.{} toe1-1.{}
face    jaw eye.{}
thumb   finger1-1.{} finger1-2.{} finger1-3.{}
index   metacarpal1.{} finger2-1.{} finger2-2.{} finger2-3.{}
middle  metacarpal2.{} finger3-1.{} finger3-2.{} finger3-3.{}
ring    metacarpal3.{} finger4-1.{} finger4-2.{} finger4-3.{}
little  metacarpal4.{} finger5-1.{} finger5-2.{} finger5-3.{}

# Reallusion Character Creator and iClone (CC_Base_).
convention character_creator L/R
trunk   Hip|Pelvis Waist Spine01 Spine02 NeckTwist01 NeckTwist02 Head
arm     {}_Clavicle {}_Upperarm {}_Forearm {}_Hand
leg     {}_Thigh {}_Calf {}_Foot {}_ToeBase
face    JawRoot {}_Eye
thumb   {}_Thumb1 {}_Thumb2 {}_Thumb3
index   - {}_Index1 {}_Index2 {}_Index3
middle  - {}_Mid1 {}_Mid2 {}_Mid3
ring    - {}_Ring1 {}_Ring2 {}_Ring3
little  - {}_Pinky1 {}_Pinky2 {}_Pinky3

# 3ds Max Biped (Bip001), and Valve's Source engine (ValveBiped.Bip01_).
convention biped L/R
trunk   Pelvis Spine Spine1 Spine4|Spine3|Spine2 Neck|Neck1 - Head|Head1
arm     {}_Clavicle {}_UpperArm {}_Forearm {}_Hand
leg     {}_Thigh {}_Calf {}_Foot {}_Toe0
thumb   {}_Finger0 {}_Finger01 {}_Finger02
index   - {}_Finger1 {}_Finger11 {}_Finger12
middle  - {}_Finger2 {}_Finger21 {}_Finger22
ring    - {}_Finger3 {}_Finger31 {}_Finger32
little  - {}_Finger4 {}_Finger41 {}_Finger42

# VRoid Studio.
convention vroid L/R
trunk   J_Bip_C_Hips J_Bip_C_Spine J_Bip_C_Chest J_Bip_C_UpperChest J_Bip_C_Neck - J_Bip_C_Head
arm     J_Bip_{}_Shoulder J_Bip_{}_UpperArm J_Bip_{}_LowerArm J_Bip_{}_Hand
leg     J_Bip_{}_UpperLeg J_Bip_{}_LowerLeg J_Bip_{}_Foot J_Bip_{}_ToeBase
face    - J_Adj_{}_FaceEye
thumb   J_Bip_{}_Thumb1 J_Bip_{}_Thumb2 J_Bip_{}_Thumb3
index   - J_Bip_{}_Index1 J_Bip_{}_Index2 J_Bip_{}_Index3
middle  - J_Bip_{}_Middle1 J_Bip_{}_Middle2 J_Bip_{}_Middle3
ring    - J_Bip_{}_Ring1 J_Bip_{}_Ring2 J_Bip_{}_Ring3
little  - J_Bip_{}_Little1 J_Bip_{}_Little2 J_Bip_{}_Little3

# MikuMikuDance. The turn of its lower body (下半身), a joint beside the trunk, goes into the thighs.
convention mmd 左/右 L/R
trunk   センター 上半身 上半身2 上半身3 首 - 頭
arm     {}肩|肩.{} {}腕|腕.{} {}ひじ|ひじ.{} {}手首|手首.{}
leg     {}足|足.{} {}ひざ|ひざ.{} {}足首|足首.{} {}つま先|つま先.{}|{}足先EX|足先EX.{}
face    あご {}目|目.{}
thumb   {}親指０|親指０.{} {}親指１|親指１.{} {}親指２|親指２.{}
index   - {}人指１|人指１.{} {}人指２|人指２.{} {}人指３|人指３.{}
middle  - {}中指１|中指１.{} {}中指２|中指２.{} {}中指３|中指３.{}
ring    - {}薬指１|薬指１.{} {}薬指２|薬指２.{} {}薬指３|薬指３.{}
little  - {}小指１|小指１.{} {}小指２|小指２.{} {}小指３|小指３.{}

# MikuMikuDance's English names.
convention mmd_english L/R
trunk   center upper_body upper_body2 upper_body3 neck - head
arm     shoulder_{} arm_{} elbow_{} wrist_{}
leg     leg_{} knee_{} ankle_{} toe_{}
face    - eye_{}
thumb   thumb0_{} thumb1_{} thumb2_{}
index   - fore1_{}|index1_{} fore2_{}|index2_{} fore3_{}|index3_{}
middle  - middle1_{} middle2_{} middle3_{}
ring    - third1_{}|ring1_{} third2_{}|ring2_{} third3_{}|ring3_{}
little  - little1_{} little2_{} little3_{}

# ARKit's body tracking (ARSkeleton3D).
convention arkit_body left/right
trunk   hips_joint spine_2_joint spine_5_joint spine_7_joint neck_1_joint neck_3_joint head_joint
arm     {}_shoulder_1_joint {}_arm_joint {}_forearm_joint {}_hand_joint
leg     {}_upLeg_joint {}_leg_joint {}_foot_joint {}_toes_joint {}_toesEnd_joint
face    jaw_joint {}_eye_joint
thumb   {}_handThumbStart_joint {}_handThumb_1_joint {}_handThumb_2_joint {}_handThumbEnd_joint
index   {}_handIndexStart_joint {}_handIndex_1_joint {}_handIndex_2_joint {}_handIndex_3_joint {}_handIndexEnd_joint
middle  {}_handMidStart_joint {}_handMid_1_joint {}_handMid_2_joint {}_handMid_3_joint {}_handMidEnd_joint
ring    {}_handRingStart_joint {}_handRing_1_joint {}_handRing_2_joint {}_handRing_3_joint {}_handRingEnd_joint
little  {}_handPinkyStart_joint {}_handPinky_1_joint {}_handPinky_2_joint {}_handPinky_3_joint {}_handPinkyEnd_joint

# Microsoft Azure Kinect.
convention azure_kinect LEFT/RIGHT
trunk   PELVIS SPINE_NAVEL SPINE_CHEST - NECK - HEAD
arm     CLAVICLE_{} SHOULDER_{} ELBOW_{} WRIST_{}
leg     HIP_{} KNEE_{} ANKLE_{} FOOT_{}
face    - EYE_{}

# Microsoft Kinect 2.
convention kinect Left/Right
trunk   SpineBase SpineMid SpineShoulder - Neck - Head
arm     - Shoulder{} Elbow{} Wrist{}
leg     Hip{} Knee{} Ankle{} Foot{}

# Maya's Advanced Skeleton.
convention advanced_skeleton L/R
trunk   Root_M Spine1_M Spine2_M Chest_M Neck_M - Head_M
arm     Scapula_{} Shoulder_{} Elbow_{} Wrist_{}
leg     Hip_{} Knee_{} Ankle_{} Toes_{} ToesEnd_{}
face    Jaw_M Eye_{}
thumb   ThumbFinger1_{} ThumbFinger2_{} ThumbFinger3_{} ThumbFinger4_{}
index   - IndexFinger1_{} IndexFinger2_{} IndexFinger3_{} IndexFinger4_{}
middle  - MiddleFinger1_{} MiddleFinger2_{} MiddleFinger3_{} MiddleFinger4_{}
ring    - RingFinger1_{} RingFinger2_{} RingFinger3_{} RingFinger4_{}
little  - PinkyFinger1_{} PinkyFinger2_{} PinkyFinger3_{} PinkyFinger4_{}

# SMPL, SMPL-H and SMPL-X.
convention smpl left/right L/R
trunk   pelvis spine1 spine2 spine3 neck - head
arm     {}_collar {}_shoulder {}_elbow {}_wrist
leg     {}_hip {}_knee {}_ankle {}_foot
face    jaw {}_eye_smplhf
thumb   {}_thumb1 {}_thumb2 {}_thumb3
index   - {}_index1 {}_index2 {}_index3
middle  - {}_middle1 {}_middle2 {}_middle3
ring    - {}_ring1 {}_ring2 {}_ring3
little  - {}_pinky1 {}_pinky2 {}_pinky3
