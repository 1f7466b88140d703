package meter

// vector is the table of the SIMD opcodes with the prefix 0xfd, indexed by their number. Numbers above 0xff are relaxed SIMD and refused.
var vector = buildVector()

func buildVector() (t [256]opInfo) {
	set := func(from, to int, i imm, weight uint8, delta int8) {
		for op := from; op <= to; op++ {
			t[op] = opInfo{i, weight, delta}
		}
	}
	binary := func(weight uint8, ranges ...[2]int) {
		for _, r := range ranges {
			set(r[0], r[1], immNone, weight, -1)
		}
	}
	unary := func(weight uint8, ranges ...[2]int) {
		for _, r := range ranges {
			set(r[0], r[1], immNone, weight, 0)
		}
	}
	set(0x00, 0x0a, immMemArg, 2, 0)  // loads
	set(0x0b, 0x0b, immMemArg, 2, -2) // store
	set(vecConst, vecConst, immV128, 1, 1)
	set(0x0d, 0x0d, immV128, 3, -1) // shuffle
	binary(3, [2]int{0x0e, 0x0e})   // swizzle
	unary(2, [2]int{0x0f, 0x14})    // splat
	set(0x15, 0x22, immLane, 2, 0)  // extract lane
	for _, op := range []int{0x17, 0x1a, 0x1c, 0x1e, 0x20, 0x22} {
		set(op, op, immLane, 2, -1) // replace lane
	}
	binary(2, [2]int{0x23, 0x4c}) // comparisons
	unary(1, [2]int{0x4d, 0x4d})  // not
	binary(1, [2]int{0x4e, 0x51}) // and, andnot, or, xor
	set(0x52, 0x52, immNone, 2, -2)
	unary(2, [2]int{0x53, 0x53})       // any_true
	set(0x54, 0x57, immMemLane, 3, -1) // load lane
	set(0x58, 0x5b, immMemLane, 3, -2) // store lane
	set(0x5c, 0x5d, immMemArg, 2, 0)   // load zero
	// The integer operations: abs, neg, all_true, bitmask, widening and
	// extending take one operand, the rest two.
	unary(3, [2]int{0x60, 0x64}, [2]int{0x7c, 0x81}, [2]int{0x83, 0x84}, [2]int{0x87, 0x8a},
		[2]int{0xa0, 0xa1}, [2]int{0xa3, 0xa4}, [2]int{0xa7, 0xaa},
		[2]int{0xc0, 0xc1}, [2]int{0xc3, 0xc4}, [2]int{0xc7, 0xca})
	unary(8, [2]int{0x62, 0x62}) // i8x16.popcnt
	binary(2, [2]int{0x65, 0x66}, [2]int{0x6e, 0x73}, [2]int{0x76, 0x79}, [2]int{0x7b, 0x7b},
		[2]int{0x82, 0x82}, [2]int{0x85, 0x86}, [2]int{0x8e, 0x93}, [2]int{0x95, 0x99},
		[2]int{0x9b, 0x9b}, [2]int{0xae, 0xae}, [2]int{0xb1, 0xb1}, [2]int{0xb5, 0xba},
		[2]int{0xce, 0xce}, [2]int{0xd1, 0xd1}, [2]int{0xd6, 0xdb})
	binary(5, [2]int{0x6b, 0x6d}, [2]int{0x8b, 0x8d}, [2]int{0xab, 0xad}, [2]int{0xcb, 0xcd},
		[2]int{0x9c, 0x9f}, [2]int{0xbc, 0xbf}, [2]int{0xdc, 0xdf}) // shifts, extending products
	binary(8, [2]int{0xd5, 0xd5})  // i64x2.mul
	binary(16, [2]int{0xcc, 0xcc}) // x86 has no instruction for i64x2.shr_s
	// The floating point operations.
	unary(6, [2]int{0x5e, 0x5f}, [2]int{0x67, 0x6a}, [2]int{0x74, 0x75}, [2]int{0x7a, 0x7a}, [2]int{0x94, 0x94})
	unary(2, [2]int{0xe0, 0xe1}, [2]int{0xec, 0xed})   // abs, neg
	unary(14, [2]int{0xe3, 0xe3}, [2]int{0xef, 0xef})  // sqrt
	binary(3, [2]int{0xe4, 0xe6}, [2]int{0xf0, 0xf2})  // add, sub, mul
	binary(10, [2]int{0xe7, 0xe7}, [2]int{0xf3, 0xf3}) // div
	binary(8, [2]int{0xe8, 0xeb}, [2]int{0xf4, 0xf7})  // min, max, pmin, pmax
	unary(10, [2]int{0xf8, 0xff})                      // conversions
	return t
}
