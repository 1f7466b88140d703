package guardrail

import (
	"strings"
)

// code finds source code by its fences, punctuation and the shapes of common
// statements: programming languages, shells, SQL, markup. A word that is also a keyword
// counts for nothing alone. One line of an unusual language is not found.
type code struct{}

func newCode(*detectorSettings, *engine) (detector, error) { return code{}, nil }

func (code) look(c *check, dst []finding) []finding {
	s := c.v.raw
	score, from, to := float32(0), len(s), 0
	mark := func(start, end int, weight float32) {
		score = 1 - (1-score)*(1-weight)
		from, to = min(from, start), max(to, end)
	}
	if i := strings.Index(s, "```"); i >= 0 {
		mark(i, len(s), 0.9)
	} else if i := strings.Index(s, "~~~\n"); i >= 0 {
		mark(i, len(s), 0.7)
	}
	for at := 0; at < len(s); {
		end := strings.IndexByte(s[at:], '\n')
		if end < 0 {
			end = len(s)
		} else {
			end += at
		}
		if w := codeLine(s[at:end]); w > 0 {
			mark(at, end, w)
		}
		at = end + 1
	}
	if score > 0 {
		dst = append(dst, finding{start: from, end: to, score: score})
	}
	return dst
}

// statement is the shape of a line: what it begins with, and what must follow.
type statement struct {
	begins string
	needs  []string // in this order
	weight float32
}

// statements are shapes that prose hardly ever has. Own collection.
var statements = []statement{
	{"def ", []string{"(", ")", ":"}, 0.8}, {"async def ", []string{"("}, 0.8}, {"class ", []string{":"}, 0.3}, {"class ", []string{"{"}, 0.7}, {"class ", []string{"(", "):"}, 0.7},
	{"func ", []string{"(", ")", "{"}, 0.8}, {"fn ", []string{"(", ")"}, 0.7}, {"function ", []string{"(", ")"}, 0.7}, {"public ", []string{"("}, 0.5}, {"public class ", nil, 0.8},
	{"private ", []string{"("}, 0.4}, {"private ", []string{";"}, 0.5}, {"public static ", nil, 0.8}, {"static ", []string{"(", ")", "{"}, 0.7}, {"void ", []string{"(", ")"}, 0.8}, {"int main", []string{"("}, 0.9},
	{"import ", []string{";"}, 0.5}, {"import (", nil, 0.6}, {"import {", []string{"from"}, 0.8}, {"import numpy", nil, 0.8}, {"import pandas", nil, 0.8}, {"import \"", nil, 0.6}, {"from ", []string{" import "}, 0.8}, {"#include", []string{"<"}, 0.9}, {"#include", []string{"\""}, 0.9}, {"#define ", nil, 0.7},
	{"using ", []string{";"}, 0.5}, {"using namespace", nil, 0.8}, {"package ", []string{";"}, 0.6}, {"package main", nil, 0.9}, {"const ", []string{"="}, 0.7}, {"let ", []string{"="}, 0.6}, {"var ", []string{"="}, 0.6}, {"val ", []string{"="}, 0.5},
	{"if (", []string{")", "{"}, 0.8}, {"if(", []string{")"}, 0.7}, {"if ", []string{"==", ":"}, 0.6}, {"if ", []string{"{"}, 0.5}, {"for (", []string{";", ";"}, 0.9}, {"for(", []string{";", ";"}, 0.9}, {"for ", []string{" in ", ":"}, 0.4}, {"for ", []string{" in range("}, 0.8}, {"for ", []string{":="}, 0.8}, {"while (", []string{")"}, 0.6}, {"while(", []string{")"}, 0.6}, {"while True", []string{":"}, 0.8},
	{"return ", []string{";"}, 0.5}, {"return ", []string{"("}, 0.2}, {"elif ", []string{":"}, 0.8}, {"except ", []string{":"}, 0.6}, {"try:", nil, 0.5}, {"try {", nil, 0.7}, {"} else", nil, 0.8}, {"} catch", nil, 0.9}, {"else:", nil, 0.5}, {"switch (", nil, 0.6}, {"case ", []string{":"}, 0.2},
	{"print(", []string{")"}, 0.7}, {"printf(", nil, 0.8}, {"println(", nil, 0.8}, {"console.log(", nil, 0.9}, {"System.out.", nil, 0.9}, {"fmt.Print", nil, 0.9}, {"std::", nil, 0.8}, {"cout <<", nil, 0.9}, {"echo \"", nil, 0.5}, {"echo $", nil, 0.7}, {"lambda ", []string{":"}, 0.5},
	{"<?php", nil, 0.95}, {"<!DOCTYPE", nil, 0.8}, {"<html", nil, 0.7}, {"<script", nil, 0.8}, {"<style", nil, 0.7}, {"<div", []string{">"}, 0.6}, {"<body", []string{">"}, 0.6}, {"<?xml", nil, 0.7}, {"</", []string{">"}, 0.5},
	{"#!/", nil, 0.9}, {"$ ", []string{" -"}, 0.5}, {"sudo ", nil, 0.5}, {"curl ", []string{"http"}, 0.7}, {"curl -", nil, 0.7}, {"docker run", nil, 0.7}, {"docker build", nil, 0.7}, {"kubectl ", []string{" "}, 0.5}, {"pip install ", nil, 0.6}, {"npm install ", nil, 0.6}, {"npm run ", nil, 0.5}, {"git clone ", nil, 0.6}, {"git commit -", nil, 0.7}, {"apt-get install ", nil, 0.6}, {"chmod +", nil, 0.6}, {"chmod 7", nil, 0.6}, {"rm -", nil, 0.6}, {"export ", []string{"="}, 0.6}, {"grep -", nil, 0.6}, {"awk '", nil, 0.8}, {"sed -", nil, 0.6}, {"ls -", nil, 0.5}, {"cat ", []string{" | "}, 0.7}, {"FROM ", []string{"RUN "}, 0.7},
	{"SELECT ", []string{" FROM "}, 0.8}, {"select ", []string{" from ", ";"}, 0.6}, {"select * from ", nil, 0.9}, {"INSERT INTO ", nil, 0.9}, {"insert into ", []string{" values"}, 0.9}, {"UPDATE ", []string{" SET ", "="}, 0.9}, {"update ", []string{" set ", "="}, 0.7}, {"DELETE FROM ", nil, 0.9}, {"delete from ", []string{" where "}, 0.7}, {"CREATE TABLE ", nil, 0.9}, {"create table ", []string{"("}, 0.9}, {"DROP TABLE ", nil, 0.9}, {"drop table ", nil, 0.6}, {"ALTER TABLE ", nil, 0.9}, {"WITH ", []string{" AS (", "SELECT "}, 0.8},
	{"struct ", []string{"{"}, 0.8}, {"type ", []string{" struct"}, 0.9}, {"type ", []string{" = "}, 0.5}, {"interface ", []string{"{"}, 0.8}, {"enum ", []string{"{"}, 0.8}, {"impl ", []string{"{"}, 0.8}, {"pub fn ", nil, 0.9}, {"use ", []string{"::", ";"}, 0.8}, {"require ", []string{"'"}, 0.4}, {"module.exports", nil, 0.9}, {"@Override", nil, 0.8}, {"defer ", []string{"("}, 0.6}, {"await ", []string{"("}, 0.5}, {"async function", nil, 0.9}, {"export default", nil, 0.8}, {"export function", nil, 0.9}, {"begin\n", nil, 0.2}, {"library(", nil, 0.7},
}

// inside are shapes that give code away wherever they stand in a line.
var inside = []struct {
	text   string
	weight float32
}{
	{"=> {", 0.8}, {") => ", 0.7}, {"();", 0.7}, {") {", 0.4}, {"&&", 0.3}, {"||", 0.2}, {" == ", 0.4}, {" === ", 0.8}, {" != ", 0.4}, {":= ", 0.6}, {"+= ", 0.5}, {"->", 0.15}, {"std::", 0.8}, {"console.log(", 0.9}, {"System.out.print", 0.9},
	{"fmt.Print", 0.9}, {"print(", 0.4}, {"document.getElementBy", 0.9}, {"self.", 0.4}, {"this.", 0.2}, {"/>", 0.4}, {"</", 0.4}, {"return x", 0.4}, {"#include", 0.8}, {"SELECT * FROM ", 0.9}, {"<script", 0.7}, {"os.system(", 0.9}, {"public static void", 0.95}, {"lambda x", 0.6}, {"};", 0.5}, {"++)", 0.8}, {"++;", 0.8}, {"[0]", 0.3}, {" nil {", 0.9},
	{"rm -rf ", 0.6}, {" | grep ", 0.7}, {"2>&1", 0.7}, {"$(", 0.4}, {"${", 0.3},
}

// codeLine weighs one line.
func codeLine(line string) float32 {
	t := strings.TrimLeft(line, " \t")
	if t == "" {
		return 0
	}
	best := float32(0)
	c := t[0]
	for i := range statements {
		st := &statements[i]
		if st.begins[0] != c || st.weight <= best || !strings.HasPrefix(t, st.begins) {
			continue
		}
		rest, ok := t[len(st.begins):], true
		for _, n := range st.needs {
			k := strings.Index(rest, n)
			if k < 0 {
				ok = false
				break
			}
			rest = rest[k+len(n):]
		}
		if ok {
			best = st.weight
		}
	}
	if strings.ContainsAny(t, "=(){};|&<>$[") {
		miss := 1 - best
		for i := range inside {
			if strings.Contains(t, inside[i].text) {
				miss *= 1 - inside[i].weight
			}
		}
		best = 1 - miss
		best = 1 - (1-best)*(1-assignment(t))
		if last := t[len(t)-1]; (last == ';' || last == '{') && strings.ContainsAny(t, "=(") {
			best = 1 - (1-best)*0.5
		}
	}
	return best
}

// assignment weighs lines like x = f(y), and rules of style sheets.
func assignment(t string) float32 {
	if open := strings.Index(t, " {"); open > 0 {
		if colon := strings.IndexByte(t[open:], ':'); colon > 0 && strings.ContainsAny(t[open+colon:], ";}") {
			return 0.5
		}
	}
	name, value, ok := strings.Cut(t, " = ")
	if !ok || value == "" || strings.ContainsAny(name, " $%") {
		return 0
	}
	switch value[len(value)-1] {
	case ')', ']', '}', ';', '"', '\'':
		return 0.6
	}
	return 0.2
}
