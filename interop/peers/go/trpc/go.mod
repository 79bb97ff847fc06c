module github.com/dragoman-a2a/dragoman/interop/peers/go/trpc

go 1.26.0

replace github.com/dragoman-a2a/dragoman/interop/peers/go/run => ../run

require github.com/dragoman-a2a/dragoman/interop/peers/go/run v0.0.0-00010101000000-000000000000
