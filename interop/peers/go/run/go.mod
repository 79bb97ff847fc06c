module github.com/dragoman-a2a/dragoman/interop/peers/go/run

go 1.26.0
