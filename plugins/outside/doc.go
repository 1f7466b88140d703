// Package outside asks guards of vendors in the wire forms that they publish: Presidio, servers of text classifiers, OpenAI's
// moderations, Lakera, Azure's Prompt Shields and text analysis, Amazon Bedrock's guardrails and Google's Model Armor. Each is
// a [remote.Asker]; package remote owns the rest. A file per vendor holds its form, with the page that describes it.
package outside
