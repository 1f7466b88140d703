// Package charts tests the Helm chart and the example for Kubernetes, with Helm's own code and Kubernetes' own types.
package charts
