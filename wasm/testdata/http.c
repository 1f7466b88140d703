// An http-wasm module for tests that does what the first text of the request says. Build:
//
//   clang --target=wasm32 -O2 -ffreestanding -nostdlib -c http.c -o http.o && wasm-ld --no-entry --strip-all -z stack-size=16384 http.o -o http.wasm
//
// The text is a list of steps with a semicolon behind each. A step is a letter and a word; steps before | run in handle_request, the
// others in handle_response:
//
//   n N   the result of handle_request (next), with ctx in its upper half    c N   enable features
//   s N   set the status            h NAME=VALUE  set a header of the answer  r NAME=VALUE  one of the request
//   a NAME=VALUE  add a header      x NAME        remove it                   t NAME=VALUE  a trailer
//   w TEXT  write a body of the answer          m TEXT  write a model in place of the word rehearsal
//   u FROM=TO  replace a word of the message's body    g  log the address    l TEXT  log
typedef unsigned int u32;
typedef unsigned long long u64;
#define IMPORT(name) __attribute__((import_module("http_handler"), import_name(#name)))
IMPORT(enable_features) u32 enable_features(u32);
IMPORT(log) void log_(u32, const char *, u32);
IMPORT(set_header_value) void set_header_value(u32, const char *, u32, const char *, u32);
IMPORT(add_header_value) void add_header_value(u32, const char *, u32, const char *, u32);
IMPORT(remove_header) void remove_header(u32, const char *, u32);
IMPORT(read_body) u64 read_body(u32, char *, u32);
IMPORT(write_body) void write_body(u32, const char *, u32);
IMPORT(set_status_code) void set_status_code(u32);
IMPORT(get_source_addr) u32 get_source_addr(char *, u32);

static char body[65536], script[4096], out[65536 + 4096];
static u32 size, script_size;
static u64 result;

static u32 number(const char *s, u32 n) {
	u32 v = 0;
	for (u32 i = 0; i < n; i++)
		if (s[i] >= '0' && s[i] <= '9') v = v * 10 + (u32)(s[i] - '0');
	return v;
}
static u32 find(const char *in, u32 n, const char *what, u32 m, u32 from) {
	for (u32 i = from; i + m <= n; i++) {
		u32 k = 0;
		while (k < m && in[i + k] == what[k]) k++;
		if (k == m) return i;
	}
	return n;
}
static void read_all(u32 kind) {
	size = 0;
	for (;;) {
		u64 r = read_body(kind, body + size, 1000);
		size += (u32)r;
		if (r >> 32) return;
	}
}
static void replace(u32 kind, const char *from, u32 n, const char *to, u32 m) {
	if (kind) read_all(kind); // handle_request has read the request, which can be read once
	u32 len = 0;
	for (u32 i = 0; i < size;) {
		if (find(body, i + n < size ? i + n : size, from, n, i) == i) {
			for (u32 k = 0; k < m; k++) out[len++] = to[k];
			i += n;
			continue;
		}
		out[len++] = body[i++];
	}
	write_body(kind, out, len);
}
static void step(char op, const char *w, u32 n, u32 kind) {
	u32 eq = find(w, n, "=", 1, 0);
	const char *value = w + eq + 1;
	u32 left = eq < n ? n - eq - 1 : 0;
	switch (op) {
	case 'n': result = number(w, n) | (u64)7 << 32; break;
	case 'c': enable_features(number(w, n)); break;
	case 's': set_status_code(number(w, n)); break;
	case 'h': set_header_value(1, w, eq, value, left); break;
	case 'r': set_header_value(0, w, eq, value, left); break;
	case 't': set_header_value(3, w, eq, value, left); break;
	case 'a': add_header_value(1, w, eq, value, left); break;
	case 'x': remove_header(1, w, n); break;
	case 'w': write_body(1, w, n); break;
	case 'm': replace(0, "rehearsal", 9, w, n); break;
	case 'u': replace(kind, w, eq, value, left); break;
	case 'g': log_(0, out, get_source_addr(out, sizeof out)); break;
	case 'l': log_(0, w, n); break;
	}
}
static void run(u32 kind, u32 from, u32 to) {
	for (u32 i = from; i < to;) {
		u32 end = find(script, to, ";", 1, i);
		if (end > i) step(script[i], script + i + 1, end - i - 1, kind);
		i = end + 1;
	}
}
__attribute__((export_name("handle_request"))) u64 handle_request(void) {
	read_all(0);
	u32 from = find(body, size, "content\":\"", 10, 0), to = find(body, size, "\"", 1, from + 10);
	script_size = 0;
	for (u32 i = from + 10; i < to && script_size < sizeof script; i++) script[script_size++] = body[i];
	result = 1;
	run(0, 0, find(script, script_size, "|", 1, 0));
	return result;
}
__attribute__((export_name("handle_response"))) void handle_response(u32 ctx, u32 is_error) {
	if (is_error) {
		log_(2, "no answer", 9);
		return;
	}
	u32 bar = find(script, script_size, "|", 1, 0);
	run(1, bar < script_size ? bar + 1 : script_size, script_size);
}
