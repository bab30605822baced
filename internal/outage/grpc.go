package outage

import (
	"context"
	"path"
	"slices"
	"time"

	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// ClientOptions returns the options of a gRPC client of a part. emulator is the address of
// the part's emulator, or "". Each call waits for a connection and for its answer, Read or
// Write; an answer in pieces is waited for piece by piece.
func ClientOptions(part Part, emulator string) ([]option.ClientOption, error) {
	dial := []grpc.DialOption{
		grpc.WithChainUnaryInterceptor(part.unary),
		grpc.WithChainStreamInterceptor(part.stream),
	}
	if emulator == "" {
		return []option.ClientOption{option.WithGRPCDialOption(dial[0]), option.WithGRPCDialOption(dial[1])}, nil
	}
	// Google's clients dial an emulator by themselves and ignore options for that.
	conn, err := grpc.NewClient(emulator, append(dial, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithPerRPCCredentials(owner{}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(largest), grpc.MaxCallSendMsgSize(largest)))...)
	return []option.ClientOption{option.WithGRPCConn(conn)}, err
}

// largest is the size of a message that no limit of this side refuses.
const largest = 1<<31 - 1

// owner are the credentials of emulators, as Google's clients send them.
type owner struct{}

func (owner) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer owner"}, nil
}

func (owner) RequireTransportSecurity() bool { return false }

// timeOf returns how long a method of Firestore or Pub/Sub is waited for.
func timeOf(method string) time.Duration {
	switch path.Base(method) {
	case "Commit", "BatchWrite", "Publish":
		return Write
	}
	return Read
}

// waiting adds the option that makes a call wait for the connection, which otherwise fails
// at once while nobody listens.
func waiting(opts []grpc.CallOption) []grpc.CallOption {
	return append(slices.Clip(opts), grpc.WaitForReady(true))
}

func (p Part) unary(ctx context.Context, method string, request, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	call, done := Limit(ctx, p, timeOf(method))
	return done(invoke(call, method, request, reply, conn, waiting(opts)...))
}

func (p Part) stream(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	calls, wait := Series(ctx, p, timeOf(method))
	s := &stream{wait: wait}
	err := wait(func() (err error) {
		s.ClientStream, err = open(calls, desc, conn, method, waiting(opts)...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// A stream is an answer in pieces, each of which is waited for.
type stream struct {
	grpc.ClientStream
	wait func(func() error) error
}

// RecvMsg waits for the next piece.
func (s *stream) RecvMsg(m any) error {
	return s.wait(func() error { return s.ClientStream.RecvMsg(m) })
}
