// A detector-like guest for the benchmarks: finds e-mail addresses and runs of
// 13 to 19 digits that pass the Luhn check, byte by byte.
//
//	clang --target=wasm32 -O3 -ffreestanding -c scan.c
//	wasm-ld --no-entry --strip-all -z stack-size=16384 scan.o -o scan.wasm
typedef unsigned char u8;
typedef unsigned int u32;

static u8 text[1 << 17];

__attribute__((export_name("buffer"))) u8 *buffer(void) { return text; }

static int word(u8 c) {
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_' || c == '+';
}

static int luhn(const u8 *p, u32 n) {
	u32 sum = 0;
	for (u32 i = 0; i < n; i++) {
		u32 d = p[n - 1 - i] - '0';
		if (i & 1) {
			d *= 2;
			if (d > 9) d -= 9;
		}
		sum += d;
	}
	return sum % 10 == 0;
}

__attribute__((export_name("scan"))) u32 scan(u32 n) {
	u32 found = 0;
	for (u32 i = 0; i < n;) {
		u8 c = text[i];
		if (c == '@') {
			u32 from = i, to = i + 1;
			while (from > 0 && word(text[from - 1])) from--;
			while (to < n && word(text[to])) to++;
			if (from < i && to > i + 1) found++;
			i = to;
		} else if (c >= '0' && c <= '9') {
			u32 to = i;
			while (to < n && text[to] >= '0' && text[to] <= '9') to++;
			if (to - i >= 13 && to - i <= 19 && luhn(text + i, to - i)) found += 0x10000;
			i = to;
		} else {
			i++;
		}
	}
	return found;
}

__attribute__((export_name("fib"), noinline)) u32 fib(u32 n) {
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
