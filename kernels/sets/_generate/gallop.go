package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// The code looks up each value of a short list in a long list b of at least sixteen values. It steps from the previous find and
// doubles the step. Then it halves the range without branches down to sixteen values, and compares these at once.

func gallops512() {
	const doc = "what the rising lists a and b have in common"
	for _, store := range []bool{false, true} {
		if store {
			function("gallop512", "func(dst, a *uint32, na int, b *uint32, nb int) int", "writes "+doc+" to dst, which may be one of them, and returns how many values that is; nb is at least 16.")
		} else {
			function("gallopCount512", "func(a *uint32, na int, b *uint32, nb int) int", "counts "+doc+"; nb is at least 16.")
		}
		l := newLists(store)
		last := GP64()
		LEAQ(Mem{Base: l.bEnd, Disp: -64}, last) // the last sixteen of b
		x := GP32()
		CMPQ(l.a.Base, l.aEnd)
		JCC(LabelRef("done"))
		Label("next")
		MOVL(l.a, x)
		CMPL(l.b.Offset(60), x)
		JCC(LabelRef("compare"))
		l.search(x, last)
		Label("compare")
		z, k, hit := ZMM(), K(), GP64()
		VPBROADCASTD(x, z)
		VPCMPEQD(l.b, z, k)
		if store {
			KORTESTW(k, k)
			JEQ(LabelRef("missed"))
			MOVL(x, l.dst)
			ADDQ(Imm(4), l.dst.Base)
			INCQ(l.n)
			Label("missed")
		} else {
			KMOVW(k, hit.As32())
			NEGQ(hit)
			ADCQ(Imm(0), l.n)
		}
		ADDQ(Imm(4), l.a.Base)
		CMPQ(l.a.Base, l.aEnd)
		JCS(LabelRef("next"))
		Label("done")
		VZEROUPPER()
		Store(l.n, ReturnIndex(0))
		RET()
	}
}

// search advances b to the sixteen values that contain the wanted one, if b has it. The last of the present sixteen must be below
// it.
func (l *lists) search(x, last Op) {
	low, high, half, step := GP64(), GP64(), GP64(), GP64()
	MOVQ(l.b.Base, low)
	MOVQ(U32(64), step)
	Label("further")
	LEAQ(Mem{Base: low, Index: step, Scale: 1}, high)
	CMPQ(high, last)
	JHI(LabelRef("end"))
	CMPL(Mem{Base: high, Disp: 60}, x)
	JCC(LabelRef("between"))
	MOVQ(high, low)
	SHLQ(Imm(1), step)
	JMP(LabelRef("further"))
	Label("end")
	MOVQ(last, high)
	CMPL(Mem{Base: high, Disp: 60}, x)
	JCS(LabelRef("done"))
	Label("between")
	MOVQ(high, half)
	SUBQ(low, half)
	CMPQ(half, Imm(64))
	JLS(LabelRef("found"))
	SHRQ(Imm(1), half)
	ANDQ(I8(-4), half)
	ADDQ(low, half)
	CMPL(Mem{Base: half, Disp: 60}, x)
	CMOVQCC(half, high)
	CMOVQCS(half, low)
	JMP(LabelRef("between"))
	Label("found")
	MOVQ(high, l.b.Base)
}
