package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The code intersects two rising lists in blocks. It compares each of eight values of a with all of sixteen (AVX-512) or eight
// (AVX2) values of b. Then the block with the smaller last value advances, or both. No branch depends on the values, so the
// processor mispredicts none.
//
// dst may be either list. A step writes values of the present blocks, and never behind the blocks. So it overwrites only values up to a
// match that it has found, and compares them with greater values only from then on. The last value of a block can only be
// replaced by itself.

// lists holds the registers of an intersection.
type lists struct {
	a, b       Mem
	aEnd, bEnd GPVirtual // behind the last value
	dst        Mem
	store      bool
	n          GPVirtual
}

func newLists(store bool) *lists {
	l := &lists{store: store}
	l.a = Mem{Base: Load(Param("a"), GP64())}
	l.b = Mem{Base: Load(Param("b"), GP64())}
	l.aEnd = Load(Param("na"), GP64()).(GPVirtual)
	l.bEnd = Load(Param("nb"), GP64()).(GPVirtual)
	LEAQ(Mem{Base: l.a.Base, Index: l.aEnd, Scale: 4}, l.aEnd)
	LEAQ(Mem{Base: l.b.Base, Index: l.bEnd, Scale: 4}, l.bEnd)
	if store {
		l.dst = Mem{Base: Load(Param("dst"), GP64())}
	}
	l.n = GP64()
	XORQ(l.n, l.n)
	return l
}

// blocks writes the loop. find writes a step on eight values of a and width values of b.
func (l *lists) blocks(width int, find func()) {
	aLast, bLast, aNext, bNext := GP64(), GP64(), GP64(), GP64()
	LEAQ(Mem{Base: l.aEnd, Disp: -32}, aLast) // the last place where a block can start
	LEAQ(Mem{Base: l.bEnd, Disp: -4 * width}, bLast)
	CMPQ(l.a.Base, aLast)
	JA(LabelRef("tail"))
	CMPQ(l.b.Base, bLast)
	JA(LabelRef("tail"))
	Label("block")
	x, y := GP32(), GP32()
	MOVL(l.a.Offset(28), x)
	MOVL(l.b.Offset(4*width-4), y)
	find()
	LEAQ(l.a.Offset(32), aNext)
	LEAQ(l.b.Offset(4*width), bNext)
	CMPL(x, y)
	CMOVQLS(aNext, l.a.Base)
	CMOVQCC(bNext, l.b.Base)
	CMPQ(l.a.Base, aLast)
	JA(LabelRef("tail"))
	CMPQ(l.b.Base, bLast)
	JLS(LabelRef("block"))
	Label("tail")
}

func intersections512() {
	const doc = "what the rising lists a and b have in common"
	for _, store := range []bool{false, true} {
		if store {
			function("intersect512", "func(dst, a *uint32, na int, b *uint32, nb int) int", "writes "+doc+" to dst, which may be one of them, and returns how many values that is.")
		} else {
			function("intersectCount512", "func(a *uint32, na int, b *uint32, nb int) int", "counts "+doc+".")
		}
		l := newLists(store)
		l.blocks(16, l.block512)
		l.tail512()
		VZEROUPPER()
		Store(l.n, ReturnIndex(0))
		RET()
	}
}

// block512 finds which of sixteen values of b are among eight values of a.
func (l *lists) block512() {
	z, k1, k2, r := ZMM(), K(), K(), GP64()
	VMOVDQU32(l.b, z)
	const different = 4
	VPCMPD_BCST(Imm(different), l.a, z, k1)
	VPCMPD_BCST(Imm(different), l.a.Offset(4), z, k2)
	for i := 2; i < 8; i += 2 {
		VPCMPD_BCST(Imm(different), l.a.Offset(4*i), z, k1, k1)
		VPCMPD_BCST(Imm(different), l.a.Offset(4*i+4), z, k2, k2)
	}
	KANDW(k1, k2, k1)
	KNOTW(k1, k1)
	KMOVW(k1, r.As32())
	POPCNTL(r.As32(), r.As32())
	ADDQ(r, l.n)
	if l.store {
		VPCOMPRESSD_Z(z, k1, z)
		VMOVDQU32(z, lowLanes(r), l.dst)
		LEAQ(Mem{Base: l.dst.Base, Index: r, Scale: 4}, l.dst.Base)
	}
}

// tail512 takes one value of a and up to sixteen values of b at a time.
func (l *lists) tail512() {
	Label("next")
	CMPQ(l.a.Base, l.aEnd)
	JCC(LabelRef("done"))
	left, most, k, z, last := GP64(), GP64(), K(), ZMM(), GP32()
	MOVQ(l.bEnd, left)
	SUBQ(l.b.Base, left)
	JLS(LabelRef("done"))
	SHRQ(Imm(2), left)
	MOVQ(U32(16), most)
	CMPQ(left, most)
	CMOVQHI(most, left)
	MOVL(Mem{Base: l.b.Base, Index: left, Scale: 4, Disp: -4}, last)
	full := GP32()
	MOVL(I32(-1), full)
	BZHIL(left.As32(), full, full)
	KMOVW(full, k)
	VMOVDQU32_Z(l.b, k, z)
	LEAQ(Mem{Base: l.b.Base, Index: left, Scale: 4}, l.b.Base)
	Label("one")
	x, hit, k2 := GP32(), GP64(), K()
	MOVL(l.a, x)
	CMPL(x, last)
	JHI(LabelRef("next"))
	VPCMPEQD_BCST(l.a, z, k, k2)
	if l.store {
		KORTESTW(k2, k2)
		JEQ(LabelRef("missed"))
		MOVL(x, l.dst)
		ADDQ(Imm(4), l.dst.Base)
		INCQ(l.n)
		Label("missed")
	} else {
		KMOVW(k2, hit.As32())
		NEGQ(hit)
		ADCQ(Imm(0), l.n)
	}
	ADDQ(Imm(4), l.a.Base)
	CMPQ(l.a.Base, l.aEnd)
	JCS(LabelRef("one"))
	Label("done")
}

func intersections256() {
	const doc = "what the rising lists a and b have in common, as far as whole blocks of eight go, "
	const rest = " i and j are how far it went in a and b."
	for _, store := range []bool{false, true} {
		if store {
			function("intersect256", "func(dst, a *uint32, na int, b *uint32, nb int) (n, i, j int)", "writes "+doc+"to dst, which may be one of them, and returns how many values that is."+rest)
		} else {
			function("intersectCount256", "func(a *uint32, na int, b *uint32, nb int) (n, i, j int)", "counts "+doc+"."+rest)
		}
		l := newLists(store)
		a, b := GP64(), GP64()
		MOVQ(l.a.Base, a)
		MOVQ(l.b.Base, b)
		l.blocks(8, l.block256)
		VZEROUPPER()
		SUBQ(a, l.a.Base)
		SHRQ(Imm(2), l.a.Base)
		SUBQ(b, l.b.Base)
		SHRQ(Imm(2), l.b.Base)
		Store(l.n, ReturnIndex(0))
		Store(l.a.Base.(Register), ReturnIndex(1))
		Store(l.b.Base.(Register), ReturnIndex(2))
		RET()
	}
}

// block256 finds which of eight values of b are among eight values of a.
func (l *lists) block256() {
	y, found, r := YMM(), YMM(), GP64()
	VMOVDQU(l.b, y)
	for i := range 8 {
		x := YMM()
		VPBROADCASTD(l.a.Offset(4*i), x)
		if i == 0 {
			VPCMPEQD(x, y, found)
			continue
		}
		VPCMPEQD(x, y, x)
		VPOR(x, found, found)
	}
	VMOVMSKPS(found, r.As32())
	if l.store {
		l.compress256(y, r)
	}
	POPCNTL(r.As32(), r.As32())
	ADDQ(r, l.n)
	if l.store {
		LEAQ(Mem{Base: l.dst.Base, Index: r, Scale: 4}, l.dst.Base)
	}
}

// compress256 writes the lanes of y that mask chooses to l.dst. The mask picks lane numbers out of 0 to 7, and a permutation moves these
// lanes to the front.
func (l *lists) compress256(y VecVirtual, mask GPVirtual) {
	bytes, ones, numbers, front, chosen := GP64(), GP64(), GP64(), YMM(), YMM()
	MOVQ(U64(0x0101010101010101), ones)
	PDEPQ(ones, mask, bytes)
	IMUL3Q(imm(255), bytes, bytes)
	MOVQ(U64(0x0706050403020100), numbers)
	PEXTQ(bytes, numbers, numbers)
	PEXTQ(bytes, bytes, bytes) // as many bytes of ones
	VMOVQ(numbers, front.AsX())
	VPMOVZXBD(front.AsX(), front)
	VPERMD(y, front, y)
	VMOVQ(bytes, chosen.AsX())
	VPMOVSXBD(chosen.AsX(), chosen)
	VPMASKMOVD(y, chosen, l.dst)
}
