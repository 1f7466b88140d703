// Package conform holds a WebAssembly plugin of any language against docs/plugin-abi.md: what it exports, imports and declares, and how
// it behaves on texts of all kinds. It knows nothing of the plugin's purpose. Its report says for each rule whether it holds, what broke
// it, or why it says nothing about the plugin.
package conform
