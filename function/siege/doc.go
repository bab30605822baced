// Package siege holds no code, only tests: it besieges the functions in
// processes of their own, as function/cmd serves them, with duplicates, faults, kills and races,
// and counts what comes out.
//
//	uploads → bridge (duplicates, disorder) → balancer → processes, killed at will
//	                                                        ├→ gate → emulated model
//	                                                        └→ emulated storage, Firestore
//
// The claim is the design's: whatever happens, every photo has one result, and no
// step is paid for twice, unless its call was under way when its process was
// killed. Each test prints what it counted in one line.
//
// A photo is told apart in every model call by its mark, such as p017: it stands
// in the photo's language tag (ko-Latn-AX) and among its features.
//
//	WHATIS_SIEGE=1 go test ./function/siege -v -run Faults
//
// Where production waits for minutes, as in an outage, time runs faster for all
// parties alike. The long form runs it as slowly as one likes:
//
//	WHATIS_SIEGE=1 WHATIS_SIEGE_SCALE=20 go test ./function/siege -v -timeout 1h -run '503|Spent'
//
// So does a crowd, of as many photos as one likes:
//
//	WHATIS_CROWD=100000 go test ./function/siege -v -timeout 3h -run 'Crowd$'
//
// The tests in pressure_… hold the memory of one instance of 512 MB, under crowds of
// clients, slow clients and huge pictures:
//
//	WHATIS_SIEGE=1 go test ./function/siege -v -run 'Clients|Huge|Marked|Turned|SIGTERM'
package siege
