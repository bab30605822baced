// Package siege has only tests: they run the functions in separate processes, as
// function/cmd serves them, with duplicates, faults, kills and races, and count the
// results.
//
//	uploads → bridge (duplicates, disorder) → balancer → processes, killed at will
//	                                                        ├→ gate → emulated model
//	                                                        └→ emulated storage, Firestore
//
// They check that, whatever happens, every photo has one result, and no step is paid for
// twice, unless its process was killed during its call. Each test prints its counts in
// one line.
//
// A photo is recognised in every model call by its mark, such as p017, which is encoded
// in the photo's language tag (ko-Latn-AX) and among its features.
//
//	WHATIS_SIEGE=1 go test ./function/siege -v -run Faults
//
// Where production waits for minutes, as in an outage, all durations are scaled down
// alike. WHATIS_SIEGE_SCALE sets the factor, for longer runs:
//
//	WHATIS_SIEGE=1 WHATIS_SIEGE_SCALE=20 go test ./function/siege -v -timeout 1h -run '503|Spent'
//
// So they are for a crowd, whose number of photos can be set:
//
//	WHATIS_CROWD=100000 go test ./function/siege -v -timeout 3h -run 'Crowd$'
//
// The tests in pressure_… check the memory of one instance of 512 MB, with crowds of
// clients, slow clients, huge pictures, hostile web pages and a large web:
//
//	WHATIS_SIEGE=1 go test ./function/siege -v -run 'Clients|Huge|Marked|Turned|SIGTERM|Pages|Web'
//
// Attacks are a table (attacks_rows_test.go), sent one by one and as a tenth of the traffic
// of all agents; and each service that the API needs is away in each of three ways:
//
//	go test ./function/siege -run Attacks
//	WHATIS_SIEGE=1 WHATIS_MIXED=10m go test ./function/siege -v -timeout 20m -run Mixed
//	WHATIS_SIEGE=1 go test ./function/siege -v -run Away
package siege
