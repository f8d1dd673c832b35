package roaring

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

const limit = 1 << 19

// every returns the n numbers 0, step, 2*step, ...
func every(step, n uint32) (set []Range) {
	for i := range n {
		set = append(set, Range{i * step, i*step + 1})
	}
	return set
}

// TestReference compares with bytes that the Go library of the RoaringBitmap project (v2.30.0) wrote for the same sets,
// or with their length and SHA-256 where they are long.
func TestReference(t *testing.T) {
	var offsets []Range
	for i := range uint32(5) {
		offsets = append(offsets, Range{i<<16 + 3, i<<16 + 4}, Range{i<<16 + 7, i<<16 + 1000})
	}
	for _, c := range []struct {
		name string
		set  []Range
		want string
	}{
		{"empty", nil, "3a30000000000000"},
		{"arrays", []Range{{3, 4}, {5, 6}, {70000, 70001}}, "3a300000020000000000010001000000180000001c000000030005007011"},
		{"runs", []Range{{3, 70000}, {80000, 80001}}, "3b300100030000fcff0100701101000300fcff020000006f1180380000"},
		{"bitmap", every(9, 5000), "8208 67a6144a4344c937b705a39dd13b37a6be37f22c1c71287aebfc72b641cfcbad"},
		{"offsets", append(offsets, Range{400000, 400001}), "3b3005001f0000e1030100e1030200e1030300e1030400e10306000000350000003f00000049000000530000005d000000670000000200030000000700e0030200030000000700e0030200030000000700e0030200030000000700e0030200030000000700e003801a"},
		{"mixed", append(every(9, 5000), Range{70000, 90000}, Range{200000, 200001}), "8217 1735679e71a922a928a4b8fa8a090c12345ef3d0afc1aa6c1ff9f27da7119d49"},
	} {
		payload := Encode(c.set)
		got := hex.EncodeToString(payload)
		if len(payload) > 1000 {
			got = fmt.Sprintf("%d %x", len(payload), sha256.Sum256(payload))
		}
		if got != c.want {
			t.Errorf("%s: wrote %s, want %s", c.name, got, c.want)
		}
		if set, err := Decode(payload, limit); err != nil || !slices.Equal(set, c.set) {
			t.Errorf("%s: read %v, %v", c.name, set, err)
		}
	}
}

// randomSet draws a set of long or short ranges, close or far apart.
func randomSet(rng *rand.Rand) (set []Range) {
	gap, length := uint32(1)<<rng.IntN(18), uint32(1)<<rng.IntN(18)
	for at := rng.Uint32N(gap); at < limit && len(set) < 20000; {
		hi := min(at+1+rng.Uint32N(length), limit)
		set = append(set, Range{at, hi})
		at = hi + 1 + rng.Uint32N(gap)
		if rng.IntN(2000) == 0 {
			gap, length = uint32(1)<<rng.IntN(18), uint32(1)<<rng.IntN(18)
		}
	}
	return set
}

func TestRandomSets(t *testing.T) {
	kinds := map[string]int{}
	for seed := range uint64(300) {
		set := randomSet(rand.New(rand.NewPCG(seed, 1)))
		payload := Encode(set)
		got, err := Decode(payload, limit)
		if err != nil || !slices.Equal(got, set) {
			t.Fatalf("seed %d: %d ranges became %d: %v", seed, len(set), len(got), err)
		}
		want := uint64(0)
		for _, r := range set {
			want += uint64(r.Hi - r.Lo)
		}
		if Len(got) != want {
			t.Fatalf("seed %d: %d numbers, want %d", seed, Len(got), want)
		}
		for _, c := range cut(set) {
			switch {
			case c.runs:
				kinds["runs"]++
			case c.count > maxArray:
				kinds["bitmap"]++
			default:
				kinds["array"]++
			}
			if c.size() > bitmapBytes {
				t.Fatalf("seed %d: a container of %d bytes", seed, c.size())
			}
		}
	}
	if len(kinds) != 3 {
		t.Errorf("only %v came up", kinds)
	}
}

// TestEdges covers sets at the borders of containers and of the range of numbers.
func TestEdges(t *testing.T) {
	for _, set := range [][]Range{
		{{0, 1}}, {{0, limit}}, {{limit - 1, limit}}, {{65535, 65536}}, {{65535, 65537}}, {{65536, 131072}},
		{{0, 65536}, {65537, 131072}}, {{0, 4097}}, every(2, 4096), every(2, 4097), every(2, 32768),
	} {
		if got, err := Decode(Encode(set), limit); err != nil || !slices.Equal(got, set) {
			t.Errorf("%v became %v: %v", set[0], got, err)
		}
	}
	last := []Range{{1 << 31, 1<<32 - 1}}
	if got, err := Decode(Encode(last), 1<<32-1); err != nil || !slices.Equal(got, last) {
		t.Errorf("%v became %v: %v", last, got, err)
	}
}

// TestPlainForm reads what a writer without run containers makes of long ranges.
func TestPlainForm(t *testing.T) {
	array := "3a300000 01000000 0000 0300 10000000 0500 0600 0700 0900"
	got, err := Decode(unhex(t, array), limit)
	if want := []Range{{5, 8}, {9, 10}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("array: %v, %v", got, err)
	}
	full := "3a300000 02000000 0000 ffff 0100 ffff 18000000 18200000" + strings.Repeat("ff", 2*bitmapBytes)
	got, err = Decode(unhex(t, full), limit)
	if want := []Range{{0, 131072}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("bitmaps: %v, %v", got, err)
	}
}

func unhex(t *testing.T, s string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestMalformed(t *testing.T) {
	for _, c := range []struct{ payload, want string }{
		{"", "too early"},
		{"3a300000", "too early"},
		{"00000000", "no roaring bitmap"},
		{"3a300000 00000000 00", "after the end"},
		{"3a300000 ffffffff", "containers where"},
		{"3a300000 01000000 0000 0000", "too early"},
		{"3a300000 01000000 0000 0000 10000000 05", "too early"},
		{"3a300000 01000000 0000 0000 11000000 0500", "elsewhere"},
		{"3a300000 01000000 0000 0100 10000000 0500 0500", "out of order"},
		{"3a300000 01000000 0000 0100 10000000 0600 0500", "out of order"},
		{"3a300000 01000000 0800 0000 10000000 0500", "not below 524288"},
		{"3a300000 02000000 0100 0000 0100 0000 18000000 1a000000 0500 0500", "out of order"},
		{"3a300000 01000000 0000 ffff 10000000" + strings.Repeat("ff", bitmapBytes-1) + "7f", "other numbers"},
		{"3b300000 01 0000 0000 0100 0500 0100", "other numbers"},
		{"3b300000 01 0000 0100 0100 ffff 0100", "leaves its container"},
		{"3b300000 01 0000 0300 0200 0500 0100 0700 0100", "not apart"},
		{"3b300000 01 0000 0300 0200 0500 0100 0500 0100", "not apart"},
		{"3b300000", "too early"},
	} {
		if set, err := Decode(unhex(t, c.payload), limit); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v; want an error with %q", c.payload[:min(len(c.payload), 60)], set, err, c.want)
		}
	}
}

// FuzzDecode reads any bytes. What can be read is a set that survives being written.
func FuzzDecode(f *testing.F) {
	for seed := range uint64(20) {
		set := randomSet(rand.New(rand.NewPCG(seed, 2)))
		f.Add(Encode(set[:min(len(set), 500)]))
	}
	f.Add(Encode(every(9, 5000)))
	f.Fuzz(func(t *testing.T, payload []byte) {
		set, err := Decode(payload, limit)
		if err != nil {
			return
		}
		for i, r := range set {
			if r.Lo >= r.Hi || r.Hi > limit || i > 0 && r.Lo <= set[i-1].Hi {
				t.Fatalf("range %d of %v", i, set)
			}
		}
		written := Encode(set)
		again, err := Decode(written, limit)
		if err != nil || !slices.Equal(set, again) {
			t.Fatalf("%v became %v: %v", set, again, err)
		}
		if !bytes.Equal(Encode(again), written) {
			t.Fatal("one set has two forms")
		}
	})
}
