.option norelax
.option norvc
.globl _start
_start:
lui a6,0xb791f
lui ra,0x1
lui gp,0x0
lui s7,0x1
lui s8,0x3435f
lui a5,0x1
lui s10,0x1
lui s8,0x0
lui s0,0x1
auipc s0,0x0
auipc a3,0x1
auipc a0,0xfffff
auipc a2,0x1
auipc a2,0xfffff
auipc ra,0x80000
auipc a0,0xfffff
auipc tp,0xfffff
auipc zero,0x0
jal s3,.-1048576
jal s4,.-1048576
jal a1,.+8
jal s6,.+647156
jal s10,.+487312
jal zero,.-852590
jal a1,.-8
jal t4,.+395864
jal a6,.+892756
jalr s7,375(t0)
jalr a3,-1(s5)
jalr a7,255(s3)
jalr a1,-2048(t5)
jalr a0,-1651(sp)
jalr a5,1(s10)
jalr s1,-1780(s5)
jalr a3,-979(t1)
jalr a0,-1(gp)
beq s10,s2,.+4092
beq t4,t6,.+16
beq s2,t5,.-4
beq s8,a1,.+4092
beq t0,t6,.-4
beq s6,sp,.+16
beq t6,a6,.+4092
beq zero,t5,.+16
beq t4,s2,.+16
bne s6,s10,.-1272
bne s7,s5,.-4096
bne s7,t5,.+536
bne a0,s10,.+4
bne a2,a0,.-4096
bne a1,sp,.+4092
bne gp,s0,.+4092
bne t5,a2,.+2710
bne s6,s8,.-4096
blt s7,zero,.+16
blt s10,t2,.+16
blt t1,s2,.-32
blt s0,s10,.+1956
blt s1,a0,.-4096
blt s0,t0,.+1656
blt t1,s4,.-1792
blt s11,s11,.+16
blt t5,s8,.+16
bge s3,t6,.+4
bge s4,s3,.+4092
bge t5,ra,.-4096
bge s2,sp,.+4
bge t5,a7,.+4
bge a5,t6,.+16
bge s2,t6,.+4
bge s0,s3,.+16
bge ra,t4,.+4092
bltu sp,zero,.-4
bltu a2,zero,.+2910
bltu s8,t5,.+16
bltu t4,tp,.+876
bltu s2,t5,.+4092
bltu t5,t6,.+1320
bltu gp,tp,.-4
bltu tp,ra,.-4
bltu s9,t6,.-4
bgeu a4,t2,.+696
bgeu s1,a1,.+4092
bgeu tp,a3,.-3384
bgeu tp,a7,.-3156
bgeu s0,zero,.-32
bgeu t6,t6,.+4
bgeu s0,s2,.-4096
bgeu a6,tp,.+16
bgeu s0,a5,.+1984
lb a1,255(t0)
lb sp,-1026(a5)
lb s8,255(t1)
lb ra,-1(s11)
lb a4,-1362(a3)
lb s0,2047(s2)
lb s5,808(s0)
lb s6,255(sp)
lb a3,1(t1)
lh sp,2047(a2)
lh sp,255(zero)
lh s11,1803(s4)
lh t4,2047(s1)
lh a0,-1465(t5)
lh s1,-2048(a0)
lh s2,-1777(sp)
lh s6,0(ra)
lh t4,1(s4)
lw s2,-1(sp)
lw a2,1(s9)
lw s7,-537(s7)
lw s2,-1(a5)
lw a1,-338(a7)
lw zero,-1550(s10)
lw a0,255(t1)
lw tp,1(t5)
lw gp,-1635(s9)
lbu gp,-1656(t3)
lbu s3,2047(a1)
lbu s9,1(s4)
lbu t1,1(a3)
lbu ra,881(s11)
lbu s8,-2048(t3)
lbu a4,-2048(t5)
lbu t0,255(s0)
lbu s0,2047(t0)
lhu s11,0(t6)
lhu a5,-2048(s7)
lhu t1,255(s8)
lhu zero,0(t3)
lhu s1,-1895(a7)
lhu t1,255(tp)
lhu s3,-2048(t6)
lhu s4,1(ra)
lhu ra,-1(s6)
sb s11,2047(s11)
sb s0,255(s6)
sb zero,1(a7)
sb a0,-869(s11)
sb t2,549(a4)
sb t4,-643(gp)
sb a0,0(t1)
sb s0,2047(zero)
sb sp,255(s9)
sh t4,-2048(a2)
sh s3,255(s6)
sh a5,-1540(s6)
sh s1,-96(s8)
sh sp,-1280(t1)
sh s2,606(t5)
sh t0,0(t1)
sh a1,255(ra)
sh s3,1088(t3)
sw gp,255(ra)
sw a3,1(ra)
sw t0,-2048(zero)
sw a7,0(t0)
sw s3,-338(t0)
sw t2,-90(s9)
sw zero,-1(a3)
sw s4,1(s7)
sw a5,-2048(s3)
flw fa7,1(s10)
flw fa1,-208(s10)
flw fa4,2047(s3)
flw fs10,255(a1)
flw fs10,1(s2)
flw fa1,255(t1)
flw fs5,-1546(s0)
flw ft4,-497(s8)
flw fa4,0(a2)
fsw fa0,255(s1)
fsw fs7,255(a1)
fsw ft6,1(a2)
fsw fa3,-1(t4)
fsw ft5,1255(s8)
fsw ft0,-1(zero)
fsw ft11,1(t6)
fsw fs2,-1091(s6)
fsw fa2,-1(s2)
addi t6,t0,-1148
addi s5,tp,2047
addi s10,a5,-1
addi a7,t1,-1
addi s8,a5,255
addi s0,t0,255
addi ra,ra,6
addi t0,gp,-461
addi zero,t5,238
slti ra,gp,-738
slti sp,a3,-1853
slti s11,s8,255
slti s1,s3,1
slti s7,a3,2047
slti a7,s0,-2048
slti zero,t2,1
slti tp,s8,-1
slti a2,ra,554
sltiu s0,t4,255
sltiu ra,zero,1
sltiu a7,s0,2047
sltiu s1,s2,1
sltiu t1,s9,255
sltiu t5,t3,-2048
sltiu ra,zero,2047
sltiu t5,gp,2047
sltiu s10,a4,0
xori a5,sp,0
xori s3,t3,1
xori s7,a7,-2048
xori a0,tp,2047
xori s8,t1,403
xori s0,t4,-1531
xori zero,a3,0
xori t0,t2,255
xori s5,a6,-1
ori t2,a6,-2048
ori s8,a0,109
ori a1,s0,1
ori zero,t4,0
ori ra,s10,1332
ori a4,t2,0
ori tp,t4,-2048
ori t2,s9,70
ori s3,s3,596
andi t4,s8,-2048
andi s4,a3,-1
andi s6,t0,1435
andi a1,a2,-1
andi t3,s6,-1909
andi a7,t6,-1
andi s10,a6,1
andi a2,a6,-2048
andi t6,t0,255
slli t1,t1,18
slli a1,gp,0
slli s5,a6,31
slli s5,t1,0
slli s2,s5,31
slli tp,tp,0
slli a1,sp,6
slli s10,t1,31
slli tp,a4,0
srli s2,t1,31
srli tp,t4,0
srli a0,a5,7
srli t1,t0,31
srli t2,a7,19
srli t4,s11,0
srli s0,s8,0
srli s4,tp,31
srli gp,t4,31
srai a6,s2,10
srai a6,t4,31
srai t1,s0,31
srai t1,t3,0
srai a5,a0,5
srai t3,a6,29
srai a0,t5,31
srai a6,s6,3
srai t2,a3,31
add t5,t6,s2
add s5,gp,s2
add s0,s10,s2
add s10,s7,s0
add s2,a2,sp
add zero,t6,a0
add s3,s10,s2
add s10,t4,s5
add s4,zero,a0
sub t6,zero,t5
sub t4,s7,sp
sub a4,zero,t5
sub t2,a2,a0
sub a0,a5,s9
sub t1,s8,s10
sub a4,a7,zero
sub a3,a5,tp
sub s7,s11,s3
sll a4,t1,s7
sll t3,gp,a6
sll zero,s1,s11
sll gp,t4,zero
sll a2,a2,t1
sll a1,t4,t3
sll t5,t5,s2
sll tp,ra,t4
sll a3,ra,t3
slt a2,tp,s5
slt a2,t1,s7
slt t0,a1,a4
slt s9,zero,sp
slt s11,gp,s3
slt a2,s8,s9
slt a0,t2,s8
slt a2,a3,s0
slt s9,t3,s1
sltu s10,ra,a7
sltu t4,a2,a7
sltu t0,a4,s11
sltu s10,t3,a2
sltu a2,s4,a6
sltu sp,a2,a0
sltu s7,t1,s11
sltu s7,s1,s2
sltu a1,zero,s1
xor s11,t1,zero
xor t4,s4,t0
xor t6,s1,s7
xor zero,gp,s7
xor t5,a6,t3
xor s5,s10,a0
xor s9,s11,t3
xor ra,a4,t5
xor s2,t1,tp
srl t5,a4,t0
srl s4,t1,t0
srl s4,s10,a1
srl s4,s6,sp
srl s3,t2,t0
srl t0,sp,t6
srl t5,a3,t3
srl s3,s1,s11
srl a7,t3,tp
sra a5,s2,t0
sra s3,tp,s8
sra s2,s10,t1
sra a0,s6,s11
sra t0,s5,a3
sra s6,t1,t4
sra s4,t1,t6
sra s4,sp,t3
sra gp,a4,s2
or s3,a6,t4
or s6,t0,t3
or s10,a2,s9
or s11,t2,s0
or tp,t3,s4
or sp,s3,s7
or s10,t1,a1
or zero,t3,s1
or s3,sp,t1
and gp,tp,t0
and s2,s2,s2
and s11,a4,sp
and s11,t4,s2
and a0,s5,s9
and t4,t4,sp
and a1,s7,t5
and s4,t0,t2
and t3,a7,s7
mul s5,t2,s8
mul s9,t3,a6
mul s0,s1,t4
mul s6,a7,a1
mul a1,s10,zero
mul s9,s4,a6
mul a2,s1,s11
mul t4,t2,s2
mul s8,sp,a2
mulh a2,s9,a5
mulh t6,ra,t2
mulh s3,t1,s5
mulh s5,s6,a0
mulh zero,sp,a2
mulh t6,sp,a7
mulh t5,a3,sp
mulh a4,s5,s4
mulh a4,s7,t4
mulhsu ra,sp,t2
mulhsu a2,t1,s3
mulhsu t2,a5,tp
mulhsu t2,s6,s5
mulhsu a6,s10,a0
mulhsu a7,s3,tp
mulhsu s9,a1,a5
mulhsu t6,zero,s3
mulhsu t5,a4,gp
mulhu a3,s8,t1
mulhu s2,t6,sp
mulhu a6,zero,t4
mulhu s1,t2,t0
mulhu a5,s4,s7
mulhu a5,t6,zero
mulhu zero,s4,s9
mulhu s6,s4,a7
mulhu a3,s2,t3
div s1,zero,a2
div a4,zero,s3
div t0,a4,a5
div a3,s8,a3
div s2,s0,a3
div a0,t2,t6
div a4,t3,s3
div a6,t0,a1
div t4,t1,s6
divu t5,zero,s3
divu zero,a0,a0
divu s3,s8,a7
divu t5,s5,s0
divu a2,t3,a2
divu t1,ra,t6
divu a1,s2,ra
divu a2,a7,a0
divu a7,s9,a7
rem t0,s6,s3
rem t2,a5,ra
rem a4,a7,s8
rem t3,a6,tp
rem t5,s9,t6
rem s1,s9,t5
rem gp,s9,sp
rem a2,a6,s5
rem a1,s7,s11
remu a0,s8,a4
remu gp,s2,a4
remu s10,t6,t5
remu a1,t4,t5
remu t6,t3,a5
remu a5,s4,a4
remu s1,t0,t2
remu t3,t4,zero
remu s1,zero,t6
.insn r 0x33,5,7,s0,t2,sp
.insn r 0x33,5,7,tp,s11,t3
.insn r 0x33,5,7,a1,t2,ra
.insn r 0x33,5,7,s5,s11,s5
.insn r 0x33,5,7,a4,a0,t6
.insn r 0x33,5,7,t6,s4,gp
.insn r 0x33,5,7,s4,zero,t6
.insn r 0x33,5,7,sp,a3,a2
.insn r 0x33,5,7,a6,a7,s3
.insn r 0x33,7,7,a4,a5,t3
.insn r 0x33,7,7,tp,t6,t5
.insn r 0x33,7,7,a4,s5,s10
.insn r 0x33,7,7,a6,a3,s7
.insn r 0x33,7,7,s11,zero,s4
.insn r 0x33,7,7,t2,s1,a5
.insn r 0x33,7,7,s4,s2,a5
.insn r 0x33,7,7,s6,a5,s2
.insn r 0x33,7,7,t1,t5,a6
fence o,iorw
fence iorw,orw
fence io,i
fence r,orw
fence o,o
fence ow,io
fence r,iorw
fence w,rw
fence rw,r
fence
fence.tso
fence.i
ecall
ebreak
csrrw sp,cycle,s11
csrrw s8,fflags,t2
csrrw a6,cycleh,s9
csrrw t0,mscratch,zero
csrrw s4,mhpmcounter17,t4
csrrw s0,mcycle,s7
csrrw s3,mhpmcounter3,t0
csrrw s11,cycle,zero
csrrw t4,instret,s3
csrrs t5,mscratch,s3
csrrs tp,minstreth,s11
csrrs t2,mscratch,a5
csrrs s8,cycleh,a2
csrrs t5,cycleh,s7
csrrs a2,mcycle,ra
csrrs ra,mscratch,s9
csrrs s10,fflags,t4
csrrs s5,timeh,a4
csrrc s4,instret,a6
csrrc a3,minstreth,t6
csrrc t5,mhpmcounter3,tp
csrrc a7,fcsr,s2
csrrc s11,frm,t4
csrrc gp,mcycleh,gp
csrrc a4,cycle,s1
csrrc a3,mhpmcounter3h,a5
csrrc tp,cycleh,s11
csrrwi a1,minstreth,28
csrrwi t6,instreth,31
csrrwi a0,mhpmcounter3h,0
csrrwi t4,mhpmcounter17,31
csrrwi s4,mhpmcounter3h,0
csrrwi a7,mhpmcounter3h,19
csrrwi sp,mhpmcounter3h,31
csrrwi a0,minstreth,24
csrrwi s10,mhpmcounter3h,31
csrrsi s10,minstreth,11
csrrsi ra,mhpmcounter31,0
csrrsi a2,cycle,30
csrrsi t2,cycle,31
csrrsi a4,mhpmcounter31h,7
csrrsi sp,mhpmcounter31h,0
csrrsi s6,mcycleh,31
csrrsi a7,mhpmcounter17,31
csrrsi a0,minstreth,31
csrrci s4,minstreth,5
csrrci t6,mhpmcounter3h,0
csrrci s3,mcycle,21
csrrci t6,mcycleh,0
csrrci s9,time,17
csrrci ra,mhartid,0
csrrci s10,mcycleh,1
csrrci s5,mhpmcounter3,0
csrrci s6,cycle,7
fmadd.s fa4,fa1,fs4,fs2,dyn
fmadd.s fa3,fs9,fa0,fs0,rmm
fmadd.s ft10,fs2,fs9,ft9,rdn
fmadd.s fa6,fs4,fs5,ft2,rdn
fmadd.s fs9,ft10,fa5,fa6,rne
fmadd.s ft6,ft5,ft6,fs10,dyn
fmadd.s ft6,fs7,fs0,ft11,rup
fmadd.s ft2,ft10,fs7,fs4,dyn
fmadd.s fa6,ft7,fa2,ft7,rup
fmsub.s fs0,ft4,fs6,fs2,rtz
fmsub.s fa4,ft3,fs8,ft7,rtz
fmsub.s ft8,ft4,fa3,ft8,dyn
fmsub.s ft4,fa7,ft0,ft6,rmm
fmsub.s fa3,fa4,fs11,ft11,rdn
fmsub.s ft7,fa4,fs0,ft11,rmm
fmsub.s fs7,ft11,ft1,fs0,dyn
fmsub.s fs10,fa7,fs0,ft2,rup
fmsub.s ft2,fs10,fa0,fs6,rmm
fnmsub.s ft9,ft10,ft11,fs10,rtz
fnmsub.s fs4,fs6,ft10,fs11,rne
fnmsub.s ft1,ft1,fa2,ft8,rtz
fnmsub.s fs5,fs4,fs10,ft5,rdn
fnmsub.s fa7,fs8,ft4,ft7,rne
fnmsub.s ft4,ft4,fs1,ft4,rtz
fnmsub.s ft11,fs11,fs6,fs8,rtz
fnmsub.s fs7,fa2,fa2,ft5,dyn
fnmsub.s fs3,fa7,ft2,fs10,rmm
fnmadd.s fs8,fa4,fs4,fs0,rmm
fnmadd.s fs1,ft0,fa2,ft8,dyn
fnmadd.s fa2,ft3,ft0,fs7,rdn
fnmadd.s ft11,ft11,ft11,ft4,rup
fnmadd.s ft4,fs4,fa1,ft2,rmm
fnmadd.s ft4,ft1,fs4,ft6,rne
fnmadd.s ft10,ft0,fa5,ft9,rne
fnmadd.s fa5,fs8,fs6,ft7,rne
fnmadd.s ft7,fa2,ft10,fs4,rdn
fadd.s fa4,fs7,ft9,rmm
fadd.s fa3,fa5,fa2,rtz
fadd.s fa2,ft7,fs8,dyn
fadd.s ft10,ft1,fa7,rmm
fadd.s ft10,fa3,ft0,rtz
fadd.s ft1,fs11,fs1,rtz
fadd.s fs8,fa6,fa1,rdn
fadd.s ft6,fs4,fa6,rtz
fadd.s fs7,fs7,fa1,rup
fsub.s fa0,ft11,fa5,rdn
fsub.s ft3,fa0,fs2,rdn
fsub.s fs1,ft7,ft8,rne
fsub.s ft7,fs0,fa6,dyn
fsub.s fs7,fa7,ft3,rup
fsub.s fa4,ft10,fa4,rup
fsub.s fa1,fa0,fa6,dyn
fsub.s fs7,fa2,fs11,rne
fsub.s ft2,fa7,fs5,rup
fmul.s fa4,fs7,ft7,rmm
fmul.s ft0,ft9,fs4,dyn
fmul.s ft7,fs5,ft9,dyn
fmul.s ft11,fs8,ft5,rmm
fmul.s fs3,ft11,fa3,rup
fmul.s fa6,ft2,ft4,rdn
fmul.s fs5,fs11,fs7,rmm
fmul.s fa6,fa2,ft6,rdn
fmul.s fs0,fa6,fs1,dyn
fdiv.s ft5,fa2,ft5,rtz
fdiv.s fs7,ft4,fs0,rmm
fdiv.s fa6,fa7,fs11,rne
fdiv.s fs8,fs2,fs9,rup
fdiv.s fs11,fa5,ft5,rtz
fdiv.s fa3,fs7,fa4,rmm
fdiv.s fa5,fa7,fs8,rtz
fdiv.s ft9,fs6,fs10,rup
fdiv.s fs0,fa7,fs6,rne
fsqrt.s fs5,fa0,dyn
fsqrt.s fs9,ft4,dyn
fsqrt.s fs8,ft7,rmm
fsqrt.s fs2,fa1,rne
fsqrt.s ft11,fa2,rne
fsqrt.s ft8,ft11,rne
fsqrt.s fs5,fs5,rtz
fsqrt.s fa5,ft8,rmm
fsqrt.s ft0,fs3,rtz
fsgnj.s ft10,ft6,fs10
fsgnj.s fs6,fs7,fs1
fsgnj.s fa6,fa5,fa5
fsgnj.s fa1,fs1,fa1
fsgnj.s fa6,fs11,ft11
fsgnj.s ft8,fa5,fa1
fsgnj.s fs10,ft2,fs1
fsgnj.s fa1,fs7,fa2
fsgnj.s ft0,fs2,fa3
fsgnjn.s fs9,ft0,fs0
fsgnjn.s ft8,fa6,fs1
fsgnjn.s ft5,ft9,fs5
fsgnjn.s fa0,ft4,fa3
fsgnjn.s ft8,fa2,fs6
fsgnjn.s ft11,ft9,ft4
fsgnjn.s fs1,fa7,ft4
fsgnjn.s fs1,ft5,ft6
fsgnjn.s ft5,fa6,fs11
fsgnjx.s ft9,fa4,fa4
fsgnjx.s ft10,fs11,ft11
fsgnjx.s ft4,fs9,ft9
fsgnjx.s fs3,fs4,fa5
fsgnjx.s ft10,ft0,fs0
fsgnjx.s ft1,fa7,fs6
fsgnjx.s ft4,ft8,fs8
fsgnjx.s fa4,ft9,ft5
fsgnjx.s ft11,fa5,fs5
fmin.s fs11,fs9,fa3
fmin.s fa1,fs6,fs4
fmin.s fa4,fa2,ft11
fmin.s ft4,fs4,fs11
fmin.s fs2,fs1,fa6
fmin.s fs6,fa6,fs7
fmin.s fs7,fa2,ft3
fmin.s fs8,fs0,fs8
fmin.s fs3,fa0,ft0
fmax.s fs5,fs4,fs0
fmax.s fs0,fs5,fs10
fmax.s fa5,fs5,fs9
fmax.s fa5,fa5,fs3
fmax.s ft11,fs0,fa3
fmax.s fs9,ft7,fs1
fmax.s fs3,fs11,ft2
fmax.s ft5,fa7,fs5
fmax.s fs1,fs11,fa3
fcvt.w.s ra,ft10,rdn
fcvt.w.s s1,fs7,rup
fcvt.w.s sp,fa0,rdn
fcvt.w.s s3,ft8,rne
fcvt.w.s ra,fa1,rmm
fcvt.w.s t1,ft5,rne
fcvt.w.s sp,fs5,rmm
fcvt.w.s s11,ft8,rmm
fcvt.w.s a7,fs7,rup
fcvt.wu.s s10,ft2,rdn
fcvt.wu.s t1,fa0,rtz
fcvt.wu.s s8,fs6,dyn
fcvt.wu.s ra,fa3,rtz
fcvt.wu.s t0,fa2,rdn
fcvt.wu.s s0,fs3,rup
fcvt.wu.s s2,ft3,rup
fcvt.wu.s a1,fs0,rdn
fcvt.wu.s s0,fs6,rtz
fcvt.s.w fa2,t3,dyn
fcvt.s.w fa0,a5,dyn
fcvt.s.w ft11,t6,rmm
fcvt.s.w fs0,a4,rtz
fcvt.s.w fs1,s3,rmm
fcvt.s.w fa4,s4,rmm
fcvt.s.w fs11,a1,rne
fcvt.s.w fa1,s3,rup
fcvt.s.w ft9,gp,dyn
fcvt.s.wu fa7,a7,rup
fcvt.s.wu fs3,gp,rne
fcvt.s.wu ft5,a4,rtz
fcvt.s.wu fa2,t6,rdn
fcvt.s.wu fa3,a0,rtz
fcvt.s.wu fa2,s5,rtz
fcvt.s.wu fs9,t4,rne
fcvt.s.wu fs6,a1,rne
fcvt.s.wu fa0,s6,dyn
fmv.x.w s9,fa0
fmv.x.w s10,fa5
fmv.x.w zero,ft9
fmv.x.w a7,fa5
fmv.x.w s10,ft4
fmv.x.w tp,fs1
fmv.x.w a3,fs0
fmv.x.w s11,fa3
fmv.x.w s9,fs11
fclass.s t4,fs1
fclass.s a1,ft8
fclass.s s5,ft0
fclass.s a7,fa7
fclass.s s3,fs11
fclass.s t1,ft3
fclass.s s6,fs2
fclass.s s5,ft5
fclass.s t2,fs1
fmv.w.x fs6,t5
fmv.w.x fs2,a3
fmv.w.x ft4,sp
fmv.w.x fs11,a2
fmv.w.x fa5,a1
fmv.w.x fs5,t2
fmv.w.x ft1,ra
fmv.w.x ft5,gp
fmv.w.x fs6,a6
feq.s s10,fs3,ft7
feq.s zero,fs11,fs5
feq.s gp,ft0,ft1
feq.s s3,fs7,fa1
feq.s s10,fs6,fs4
feq.s s6,ft7,fa5
feq.s s6,fa0,fs11
feq.s a2,fa2,ft10
feq.s a6,fs4,ft8
flt.s t5,fs10,fa6
flt.s a6,fs2,fs3
flt.s a2,fa7,fa3
flt.s s8,fa2,ft11
flt.s sp,fs3,fs7
flt.s t5,fs7,ft9
flt.s s9,fa7,fs11
flt.s s2,fs6,fa2
flt.s t6,ft11,fs7
fle.s zero,ft2,fs0
fle.s a7,ft9,fs9
fle.s t1,fs3,fa2
fle.s t2,fs1,fs0
fle.s s11,fa2,fs4
fle.s s4,fs0,ft9
fle.s s9,fa3,fa5
fle.s s7,ft2,ft1
fle.s s9,fs10,fs5
nop
nop
nop
li s2,-1764
li a7,1544
li s7,-588
mv s5,s3
mv s6,s8
mv tp,s0
not a2,s7
not t0,t1
not t0,a0
neg s2,s8
neg s10,s3
neg t0,t6
zext.b s10,a4
zext.b s8,t2
zext.b a2,tp
seqz tp,t1
seqz s7,s4
seqz gp,a3
snez t1,s11
snez sp,s10
snez s4,s11
sltz a1,t6
sltz a7,a5
sltz t4,s5
sgtz s2,tp
sgtz s4,t0
sgtz a4,t3
beqz gp,.+916
beqz s7,.-1460
beqz t5,.+252
bnez s1,.+1516
bnez s11,.-2028
bnez t5,.+1448
bltz s4,.-2892
bltz s7,.+1612
bltz s1,.+1276
bgez a1,.+3184
bgez sp,.-624
bgez a3,.-1120
blez s0,.-2204
blez a3,.-612
blez t5,.-1660
bgtz t6,.+52
bgtz a4,.-1232
bgtz s10,.+2832
j .+1744
j .-548
j .+2508
jal .+1340
jal .+2232
jal .+1424
jr s10
jr a4
jr t0
jalr s3
jalr s11
jalr a4
ret
ret
ret
csrr t2,mhpmcounter17
csrr t0,mcycle
csrr t0,mhpmcounter17
csrw mscratch,s1
csrw minstreth,s5
csrw mhpmcounter3,t6
csrs mhpmcounter17,t2
csrs mhpmcounter31h,sp
csrs mhpmcounter3,a2
csrc minstreth,t3
csrc mhpmcounter3,sp
csrc mhpmcounter31h,a7
csrwi mcycle,9
csrwi mhpmcounter3,19
csrwi mcycle,26
csrsi minstret,29
csrsi mhpmcounter17,15
csrsi mscratch,17
csrci mhpmcounter31,28
csrci minstreth,19
csrci mhpmcounter17,17
fmv.s ft7,fs10
fmv.s ft0,fs1
fmv.s ft2,fs11
fneg.s ft2,fs3
fneg.s ft2,fs7
fneg.s fs8,fs5
fabs.s ft1,fs10
fabs.s ft0,ft7
fabs.s fs4,fs9
.insn r 0x0b,0,0,x0,s8,x0
.insn r 0x0b,1,0,x0,s8,sp
.insn r 0x0b,2,0,ra,s8,x0
.insn r 0x0b,2,0,ra,s8,x1
.insn r 0x0b,3,0,x0,s8,x0
.insn r 0x0b,4,0,x0,s8,sp
.insn r 0x0b,5,0,x0,s8,sp
.insn r 0x0b,5,0,x1,s8,sp
.insn r 0x0b,0,0,x0,s11,x0
.insn r 0x0b,1,0,x0,s11,t2
.insn r 0x0b,2,0,a3,s11,x0
.insn r 0x0b,2,0,a3,s11,x1
.insn r 0x0b,3,0,x0,s11,x0
.insn r 0x0b,4,0,x0,s11,t2
.insn r 0x0b,5,0,x0,s11,t2
.insn r 0x0b,5,0,x1,s11,t2
.insn r 0x0b,0,0,x0,s2,x0
.insn r 0x0b,1,0,x0,s2,s4
.insn r 0x0b,2,0,s5,s2,x0
.insn r 0x0b,2,0,s5,s2,x1
.insn r 0x0b,3,0,x0,s2,x0
.insn r 0x0b,4,0,x0,s2,s4
.insn r 0x0b,5,0,x0,s2,s4
.insn r 0x0b,5,0,x1,s2,s4
.insn r 0x0b,0,0,x0,s0,x0
.insn r 0x0b,1,0,x0,s0,t3
.insn r 0x0b,2,0,a2,s0,x0
.insn r 0x0b,2,0,a2,s0,x1
.insn r 0x0b,3,0,x0,s0,x0
.insn r 0x0b,4,0,x0,s0,t3
.insn r 0x0b,5,0,x0,s0,t3
.insn r 0x0b,5,0,x1,s0,t3
.insn r 0x0b,0,0,x0,a3,x0
.insn r 0x0b,1,0,x0,a3,a6
.insn r 0x0b,2,0,s9,a3,x0
.insn r 0x0b,2,0,s9,a3,x1
.insn r 0x0b,3,0,x0,a3,x0
.insn r 0x0b,4,0,x0,a3,a6
.insn r 0x0b,5,0,x0,a3,a6
.insn r 0x0b,5,0,x1,a3,a6
.insn r 0x0b,0,0,x0,s11,x0
.insn r 0x0b,1,0,x0,s11,ra
.insn r 0x0b,2,0,s6,s11,x0
.insn r 0x0b,2,0,s6,s11,x1
.insn r 0x0b,3,0,x0,s11,x0
.insn r 0x0b,4,0,x0,s11,ra
.insn r 0x0b,5,0,x0,s11,ra
.insn r 0x0b,5,0,x1,s11,ra
.insn r 0x0b,0,0,x0,s7,x0
.insn r 0x0b,1,0,x0,s7,t2
.insn r 0x0b,2,0,s5,s7,x0
.insn r 0x0b,2,0,s5,s7,x1
.insn r 0x0b,3,0,x0,s7,x0
.insn r 0x0b,4,0,x0,s7,t2
.insn r 0x0b,5,0,x0,s7,t2
.insn r 0x0b,5,0,x1,s7,t2
.insn r 0x0b,0,0,x0,a4,x0
.insn r 0x0b,1,0,x0,a4,s5
.insn r 0x0b,2,0,s9,a4,x0
.insn r 0x0b,2,0,s9,a4,x1
.insn r 0x0b,3,0,x0,a4,x0
.insn r 0x0b,4,0,x0,a4,s5
.insn r 0x0b,5,0,x0,a4,s5
.insn r 0x0b,5,0,x1,a4,s5
.insn r 0x0b,0,0,x0,a7,x0
.insn r 0x0b,1,0,x0,a7,t2
.insn r 0x0b,2,0,a5,a7,x0
.insn r 0x0b,2,0,a5,a7,x1
.insn r 0x0b,3,0,x0,a7,x0
.insn r 0x0b,4,0,x0,a7,t2
.insn r 0x0b,5,0,x0,a7,t2
.insn r 0x0b,5,0,x1,a7,t2
