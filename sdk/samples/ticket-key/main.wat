;; A detector in WebAssembly's text format, for which there is no SDK: it is written from docs/plugin-abi.md alone.
;;
;; It finds keys of tickets such as AB-12: 2 to 10 capital letters, a dash, 1 to 6 digits, no letter, digit, underscore
;; or dash before them, and no letter, digit or underscore behind them.
(module
  (memory (export "memory") 2)

  ;; Span records lie at 1024: 4096 of 16 bytes. The input buffer lies behind them.
  (global $records i32 (i32.const 1024))
  (global $most i32 (i32.const 4096))
  (global $input i32 (i32.const 66560)) ;; 1024 + 4096 * 16
  (global $count (mut i32) (i32.const 0))

  ;; hg_abi_1: no feature bits.
  (func (export "hg_abi_1") (result i32) (i32.const 0))

  ;; hg_alloc: the one input buffer. The memory grows when the text needs more; 0 when it cannot.
  (func (export "hg_alloc") (param $len i32) (result i32)
    (local $need i64) (local $have i64)
    (local.set $need (i64.add (i64.extend_i32_u (global.get $input)) (i64.extend_i32_u (local.get $len))))
    (local.set $have (i64.shl (i64.extend_i32_u (memory.size)) (i64.const 16)))
    (if (i64.gt_u (local.get $need) (local.get $have)) (then
      (if (i32.eq
            (memory.grow (i32.wrap_i64 (i64.shr_u
              (i64.add (i64.sub (local.get $need) (local.get $have)) (i64.const 65535)) (i64.const 16))))
            (i32.const -1))
        (then (return (i32.const 0))))))
    (global.get $input))

  (func $digit (param $c i32) (result i32)
    (i32.lt_u (i32.sub (local.get $c) (i32.const 48)) (i32.const 10)))

  (func $capital (param $c i32) (result i32)
    (i32.lt_u (i32.sub (local.get $c) (i32.const 65)) (i32.const 26)))

  ;; A letter, a digit or an underscore.
  (func $word (param $c i32) (result i32)
    (i32.or
      (i32.or (call $digit (local.get $c)) (call $capital (i32.and (local.get $c) (i32.const 0xDF))))
      (i32.eq (local.get $c) (i32.const 95))))

  (func $emit (param $start i32) (param $end i32)
    (local $at i32)
    ;; More than fit: the last record gets the label that says so.
    (if (i32.eq (global.get $count) (global.get $most)) (then
      (i32.store16 (i32.const 66552) (i32.const 0xFFFF)) ;; the label of the last record: 1024 + 4095 * 16 + 8
      (return)))
    (local.set $at (i32.add (global.get $records) (i32.shl (global.get $count) (i32.const 4))))
    (i32.store (local.get $at) (local.get $start))
    (i32.store offset=4 (local.get $at) (local.get $end))
    (i32.store offset=8 (local.get $at) (i32.const 0)) ;; label 0, flags 0
    (f32.store offset=12 (local.get $at) (f32.const 1))
    (global.set $count (i32.add (global.get $count) (i32.const 1))))

  ;; Judges the dash at an offset, and returns where the search goes on.
  (func $dash (param $text i32) (param $len i32) (param $flags i32) (param $at i32) (result i32)
    (local $from i32) (local $to i32) (local $n i32)
    ;; The letters before it.
    (local.set $from (local.get $at))
    (block $begun (loop $back
      (br_if $begun (i32.eqz (local.get $from)))
      (br_if $begun (i32.gt_u (i32.sub (local.get $at) (local.get $from)) (i32.const 10)))
      (br_if $begun (i32.eqz (call $capital (i32.load8_u (i32.add (local.get $text) (i32.sub (local.get $from) (i32.const 1)))))))
      (local.set $from (i32.sub (local.get $from) (i32.const 1)))
      (br $back)))
    ;; The digits behind it.
    (local.set $to (i32.add (local.get $at) (i32.const 1)))
    (block $ended (loop $on
      (br_if $ended (i32.ge_u (local.get $to) (local.get $len)))
      (br_if $ended (i32.gt_u (i32.sub (local.get $to) (local.get $at)) (i32.const 6)))
      (br_if $ended (i32.eqz (call $digit (i32.load8_u (i32.add (local.get $text) (local.get $to))))))
      (local.set $to (i32.add (local.get $to) (i32.const 1)))
      (br $on)))
    (local.set $n (i32.sub (local.get $at) (local.get $from)))
    (if (i32.or (i32.lt_u (local.get $n) (i32.const 2)) (i32.gt_u (local.get $n) (i32.const 10)))
      (then (return (i32.add (local.get $at) (i32.const 1)))))
    (if (i32.eq (local.get $to) (i32.add (local.get $at) (i32.const 1)))
      (then (return (local.get $to))))
    ;; What stands before and behind.
    (if (local.get $from) (then
      (local.set $n (i32.load8_u (i32.add (local.get $text) (i32.sub (local.get $from) (i32.const 1)))))
      (if (i32.or (call $word (local.get $n)) (i32.eq (local.get $n) (i32.const 45)))
        (then (return (local.get $to))))))
    (if (i32.lt_u (local.get $to) (local.get $len))
      (then
        (if (call $word (i32.load8_u (i32.add (local.get $text) (local.get $to))))
          (then (return (local.get $to)))))
      (else
        ;; It touches the end and more follows (flag bit 1): the host asks again.
        (if (i32.and (local.get $flags) (i32.const 2))
          (then (return (local.get $to))))))
    (call $emit (local.get $from) (local.get $to))
    (local.get $to))

  ;; hg_detect: the address of the records in the high half, their bytes in the low half.
  (func (export "hg_detect") (param $text i32) (param $len i32) (param $flags i32) (result i64)
    (local $at i32)
    (global.set $count (i32.const 0))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $at) (local.get $len)))
      (if (i32.eq (i32.load8_u (i32.add (local.get $text) (local.get $at))) (i32.const 45))
        (then (local.set $at (call $dash (local.get $text) (local.get $len) (local.get $flags) (local.get $at))))
        (else (local.set $at (i32.add (local.get $at) (i32.const 1)))))
      (br $next)))
    (i64.or
      (i64.shl (i64.extend_i32_u (global.get $records)) (i64.const 32))
      (i64.extend_i32_u (i32.shl (global.get $count) (i32.const 4))))))
