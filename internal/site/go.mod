module github.com/robustnmf/robustnmf/internal/site

go 1.24.4

require (
	github.com/alecthomas/chroma/v2 v2.20.0
	github.com/robustnmf/robustnmf v0.1.0
	github.com/yuin/goldmark v1.7.13
	github.com/yuin/goldmark-highlighting/v2 v2.0.0-20230729083705-37449abec8cc
	golang.org/x/net v0.48.0
)

require (
	github.com/aymerick/douceur v0.2.0 // indirect
	github.com/dlclark/regexp2 v1.11.5 // indirect
	github.com/gorilla/css v1.0.1 // indirect
	github.com/microcosm-cc/bluemonday v1.0.27 // indirect
	github.com/wyatt915/treeblood v0.1.16 // indirect
)

replace github.com/robustnmf/robustnmf => ../..
