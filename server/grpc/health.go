// SPDX-License-Identifier: Apache-2.0

package grpc

import (
	"context"
	"sync"

	"google.golang.org/grpc/codes"
	pb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	wire "github.com/dragoman-a2a/dragoman/internal/binding/grpc"
)

// health is the standard health service. gRPC's own would keep those who watch connected while the server drains, and
// so the server from its end.
type health struct {
	pb.UnimplementedHealthServer
	services map[string]bool
	once     sync.Once
	draining chan struct{}
}

func newHealth() *health {
	return &health{services: map[string]bool{"": true}, draining: make(chan struct{})}
}

func (h *health) add(forms []wire.Form) {
	for _, f := range forms {
		h.services[f.Service()] = true
	}
}

func (h *health) drain() { h.once.Do(func() { close(h.draining) }) }

func (h *health) status() pb.HealthCheckResponse_ServingStatus {
	select {
	case <-h.draining:
		return pb.HealthCheckResponse_NOT_SERVING
	default:
		return pb.HealthCheckResponse_SERVING
	}
}

// Check says how the server, or one of its services, is.
func (h *health) Check(_ context.Context, r *pb.HealthCheckRequest) (*pb.HealthCheckResponse, error) {
	if !h.services[r.GetService()] {
		return nil, status.Error(codes.NotFound, "unknown service")
	}
	return &pb.HealthCheckResponse{Status: h.status()}, nil
}

// List says how all are.
func (h *health) List(context.Context, *pb.HealthListRequest) (*pb.HealthListResponse, error) {
	all := &pb.HealthListResponse{Statuses: map[string]*pb.HealthCheckResponse{}}
	for service := range h.services {
		all.Statuses[service] = &pb.HealthCheckResponse{Status: h.status()}
	}
	return all, nil
}

// Watch says how the server is now, and when that changes. It ends when the server drains.
func (h *health) Watch(r *pb.HealthCheckRequest, stream pb.Health_WatchServer) error {
	if !h.services[r.GetService()] { // it may come, says the protocol, but here it never does
		if err := stream.Send(&pb.HealthCheckResponse{Status: pb.HealthCheckResponse_SERVICE_UNKNOWN}); err != nil {
			return err
		}
	} else if err := stream.Send(&pb.HealthCheckResponse{Status: h.status()}); err != nil {
		return err
	}
	select {
	case <-stream.Context().Done():
		return status.FromContextError(stream.Context().Err()).Err()
	case <-h.draining:
	}
	if h.services[r.GetService()] {
		if err := stream.Send(&pb.HealthCheckResponse{Status: pb.HealthCheckResponse_NOT_SERVING}); err != nil {
			return err
		}
	}
	return status.Error(codes.Unavailable, "the server is shutting down")
}
