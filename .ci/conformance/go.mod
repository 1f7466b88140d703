module github.com/headgate-dev/headgate/.ci/conformance

go 1.26
