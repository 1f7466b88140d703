package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// setUsageErrors makes every command with the wrong number of arguments print its usage line, and every group of commands
// suggest the right one for an unknown one. Cobra would print help with status 0 for a misspelt command of a group.
func setUsageErrors(root *cobra.Command, c *cobra.Command) {
	for _, sub := range c.Commands() {
		setUsageErrors(root, sub)
	}
	if c.HasSubCommands() {
		c.SuggestionsMinimumDistance = 2
		c.Args = func(c *cobra.Command, words []string) error {
			if len(words) == 0 {
				return nil
			}
			return newUnknownVerbError(root, c, words[0])
		}
		c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		return
	}
	check := c.Args
	if check == nil {
		return
	}
	c.Args = func(c *cobra.Command, words []string) error {
		if check(c, words) != nil {
			return fmt.Errorf("usage: %s", c.UseLine())
		}
		return nil
	}
}

// newUnknownVerbError returns the error for a word that is not a command of a group.
func newUnknownVerbError(root, group *cobra.Command, word string) error {
	if c := suggestVerb(root, group, word); c != nil {
		return fmt.Errorf("unknown verb %q of %q; did you mean %q?", word, group.CommandPath(), c.CommandPath())
	}
	return fmt.Errorf("unknown verb %q of %q; %q lists the verbs", word, group.CommandPath(), group.CommandPath()+" --help")
}

// suggestVerb finds the intended command: one that declares the words in SuggestFor, the closest of the group, or the
// only command of that name in any group. It returns nil if none is close.
func suggestVerb(root, group *cobra.Command, word string) *cobra.Command {
	_, path, _ := strings.Cut(group.CommandPath()+" "+word, " ")
	all := listVerbs(root)
	for _, c := range all {
		if slices.Contains(c.SuggestFor, path) {
			return c
		}
	}
	within := group.SuggestionsMinimumDistance
	defer func() { group.SuggestionsMinimumDistance = within }()
	for group.SuggestionsMinimumDistance = 1; group.SuggestionsMinimumDistance <= within; group.SuggestionsMinimumDistance++ {
		if names := group.SuggestionsFor(word); len(names) > 0 {
			c, _, err := group.Find(names[:1])
			if err == nil {
				return c
			}
		}
	}
	var found []*cobra.Command
	for _, c := range all {
		if c.Name() == word {
			found = append(found, c)
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	return nil
}

// listVerbs returns all commands below c that help shows.
func listVerbs(c *cobra.Command) (list []*cobra.Command) {
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			list = append(append(list, sub), listVerbs(sub)...)
		}
	}
	return list
}
