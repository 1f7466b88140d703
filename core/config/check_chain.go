package config

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

func (c *checker) checkPlugins() {
	p := &c.cfg.Plugins
	c.checkTrustedKeys(p)
	if p.Dir == "" {
		c.addProblem("plugins.dir", "is empty", "write dir: plugins")
	}
	if p.Trust == TrustOpen && !isLoopback(parseHost(c.cfg.Server.Listen)) {
		c.addWarning(
			"plugins.trust",
			"open loads any module that is dropped in, and the gateway listens beyond this machine",
			"write trust: pinned",
		)
	}
}

func (c *checker) checkChain() {
	seen, every, guards := map[string]string{}, "", ""
	for i, l := range c.cfg.Chain {
		path := appendIndex("chain", i)
		c.checkLink(path, l)
		if l.Name != "" {
			from := path
			for _, key := range []string{".name", ".stage", ".wasm", ".webhook", ".guard", ".process"} {
				if c.isWritten(path + key) {
					from += key
					break
				}
			}
			c.checkID(from, l.Name)
			c.checkUnique(seen, l.Name, from, "the link's name", "write another name: on one of them")
		}
		if l.Plugins == "*" {
			if every != "" {
				c.addProblem(path+".plugins", `"*" is already used by `+every, "keep one of them")
			}
			every = path
		}
		if l.GuardrailPlugins != "" {
			if guards != "" {
				c.addProblem(path+".guardrail_plugins", `"*" is already used by `+guards, "keep one of them")
			}
			guards = path
		}
	}
	c.completeRoles()
	c.lint()
}

// checkLink checks one link on its own.
func (c *checker) checkLink(path string, l Link) {
	kinds := 0
	for _, written := range []string{l.Stage, l.Wasm, l.Plugins, l.Webhook, l.Guard, l.Process, l.GuardrailPlugins} {
		if written != "" {
			kinds++
		}
	}
	switch {
	case kinds == 0:
		c.addProblem(
			path,
			"names nothing to run",
			`write stage: pii, wasm: file.wasm, plugins: "*", webhook: https://…, guard: presidio, process: file or guardrail_plugins: "*"`,
		)
		return
	case kinds > 1:
		c.addProblem(path, "has more than one of stage, wasm, plugins, webhook, guard, process and guardrail_plugins", "keep one of them")
		return
	}
	c.checkLinkKind(path, l)
	c.checkLinkSettings(path, l)
	c.checkRole(path, l)
	c.checkWebhook(path, l)
	c.checkProcess(path, l)
	c.checkLinkFilters(path, l)
}

// checkLinkKind checks the value of the key that says what a link runs.
func (c *checker) checkLinkKind(path string, l Link) {
	switch {
	case l.Plugins != "" && l.Plugins != "*":
		c.addProblem(path+".plugins", c.quoteValue(path+".plugins", l.Plugins)+` is not "*"`, `write plugins: "*", or wasm: file.wasm for one module`)
	case l.GuardrailPlugins != "" && l.GuardrailPlugins != "*":
		c.addProblem(
			path+".guardrail_plugins",
			c.quoteValue(path+".guardrail_plugins", l.GuardrailPlugins)+` is not "*"`,
			`write guardrail_plugins: "*"`,
		)
	case l.Wasm != "" && (!filepath.IsLocal(l.Wasm) || !strings.HasSuffix(l.Wasm, ".wasm") || filepath.Base(l.Wasm) == ".wasm"):
		c.addProblem(path+".wasm", "is not a .wasm file within "+c.cfg.Plugins.Dir, "write wasm: file.wasm")
	case l.Stage != "" && len(c.known.Stages) > 0 && !slices.Contains(c.known.Stages, l.Stage):
		c.addProblem(
			path+".stage",
			c.quoteValue(path+".stage", l.Stage)+" is not a known stage: "+strings.Join(c.known.Stages, ", "),
			formatSuggestion(l.Stage, c.known.Stages),
		)
	case l.Guard != "" && len(c.known.Guards) > 0 && !slices.Contains(c.known.Guards, l.Guard):
		c.addProblem(
			path+".guard",
			c.quoteValue(path+".guard", l.Guard)+" is not a known guard: "+strings.Join(c.known.Guards, ", "),
			formatSuggestion(l.Guard, c.known.Guards),
		)
	}
}

// checkLinkSettings finds settings that a link of its kind does not have.
func (c *checker) checkLinkSettings(path string, l Link) {
	if l.Stage != "" {
		if l.Timeout != 0 {
			c.addWarning(path+".timeout", "has no effect: compiled-in stages have no timeout", "remove it")
		}
		if l.Limits != (Limits{CPU: l.Limits.CPU}) {
			c.addWarning(path+".limits", "has no effect except for cpu: the others are for modules, webhooks and processes", "remove them")
		}
	} else if l.Limits.CPU != 0 {
		c.addWarning(path+".limits.cpu", "has no effect: it is for compiled-in stages", "remove it, and set timeout")
	}
	if l.GuardrailPlugins != "" {
		for _, key := range []string{"timeout", "limits", "mode", "on_fault", "config"} {
			if c.isWritten(path + "." + key) {
				c.addProblem(path+"."+key, "is for links that run one guard: each guardrail plugin has its own settings", "remove it")
			}
		}
	}
	if c.isWritten(path+".isolate") && l.Wasm == "" && l.Plugins == "" {
		c.addWarning(path+".isolate", "has no effect: it is for modules", "remove it")
	}
	checkGrant(c, path+".grant", &l)
	checkReject(c, path+".reject", &l)
}

// maxReject is the longest message of a refusal, in bytes.
const maxReject = 500

// checkReject checks the message of a link's refusals.
func checkReject(c *checker, path string, l *Link) {
	switch {
	case !c.isWritten(path):
	case l.Stage != "" || l.GuardrailPlugins != "":
		c.addProblem(path, "is for modules, processes, webhooks and guards: a compiled-in stage has messages in its own settings, a guardrail plugin its own", "remove it")
	case l.Reject == "" || len(l.Reject) > maxReject || strings.ContainsFunc(l.Reject, unicode.IsControl):
		c.addProblem(path, "is empty, longer than 500 bytes or more than one line", `write reject: "Our rules do not allow this."`)
	}
}

// checkLinkFilters checks when a link runs, and for whom.
func (c *checker) checkLinkFilters(path string, l Link) {
	if c.isWritten(path+".phases") && len(l.Phases) == 0 {
		c.addProblem(path+".phases", "is empty, so the link would never run", "write phases: [request, response], or omit it")
	}
	for j, phase := range l.Phases {
		if phase != "" && slices.Index(l.Phases, phase) < j {
			c.addProblem(appendIndex(path+".phases", j), string(phase)+" is written twice", "keep one of them")
		}
	}
	c.checkTexts(path+".for.tenants", l.For.Tenants, "a tenant's id")
	c.checkTexts(path+".for.keys", l.For.Keys, "a key's name")
	c.checkTexts(path+".for.models", l.For.Models, "a model's name")
	c.checkTexts(path+".for.dialects", l.For.Dialects, "a shape's name")
}
