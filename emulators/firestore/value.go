package firestore

import (
	"math"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/genproto/googleapis/type/latlng"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// A value is one of nil, bool, int64, float64, timestamp, string, []byte,
// reference, geoPoint, array, *vector and object. Values are never changed
// once made.
type value = any

type (
	timestamp int64  // microseconds since 1970
	reference string // full resource name of a document
	geoPoint  struct{ lat, lng float64 }
	array     []value
	object    map[string]value
)

const maxDepth = 20 // maps and arrays inside one another

// The keys and the type name that make a map on the wire a vector.
const (
	typeKey    = "__type__"
	valueKey   = "value"
	vectorType = "__vector__"
)

// objectFromProto checks and converts the fields of a document.
func objectFromProto(fields map[string]*pb.Value) (object, error) {
	o := make(object, len(fields))
	for name, f := range fields {
		if err := checkFieldName(name); err != nil {
			return nil, err
		}
		v, err := fromProto(name, f, 1)
		if err != nil {
			return nil, err
		}
		o[name] = v
	}
	return o, nil
}

// fromProto converts v, which stands depth levels deep in the field top.
func fromProto(top string, v *pb.Value, depth int) (value, error) {
	switch t := v.GetValueType().(type) {
	case *pb.Value_NullValue:
		return nil, nil
	case *pb.Value_BooleanValue:
		return t.BooleanValue, nil
	case *pb.Value_IntegerValue:
		return t.IntegerValue, nil
	case *pb.Value_DoubleValue:
		return t.DoubleValue, nil
	case *pb.Value_TimestampValue:
		return timestampFromProto(t.TimestampValue)
	case *pb.Value_StringValue:
		return t.StringValue, checkLength(top, len(t.StringValue))
	case *pb.Value_BytesValue:
		return t.BytesValue, checkLength(top, len(t.BytesValue))
	case *pb.Value_ReferenceValue:
		_, _, err := parseDocument("Resource", t.ReferenceValue)
		return reference(t.ReferenceValue), err
	case *pb.Value_GeoPointValue:
		return geoFromProto(t.GeoPointValue)
	case *pb.Value_ArrayValue:
		return arrayFromProto(top, t.ArrayValue.GetValues(), depth)
	case *pb.Value_MapValue:
		return mapFromProto(top, t.MapValue.GetFields(), depth)
	}
	return nil, invalid("Cannot convert firestore.v1.Value with type unset.")
}

func timestampFromProto(t *timestamppb.Timestamp) (value, error) {
	if err := t.CheckValid(); err != nil {
		return nil, invalid("Invalid timestamp: %v", err)
	}
	return timestamp(t.AsTime().UnixMicro()), nil
}

func geoFromProto(g *latlng.LatLng) (value, error) {
	if lat := g.GetLatitude(); !(math.Abs(lat) <= 90) {
		return nil, invalid("Geo point latitude '%v' outside permitted range -90.0 to 90.0.", lat)
	}
	if lng := g.GetLongitude(); !(math.Abs(lng) <= 180) {
		return nil, invalid("Geo point longitude '%v' outside permitted range -180.0 to 180.0.", lng)
	}
	return geoPoint{g.GetLatitude(), g.GetLongitude()}, nil
}

func arrayFromProto(top string, values []*pb.Value, depth int) (value, error) {
	if depth > maxDepth {
		return nil, invalid("Property %s contains an invalid nested entity.", top)
	}
	a := make(array, len(values))
	for i, e := range values {
		v, err := fromProto(top, e, depth+1)
		if err != nil {
			return nil, err
		}
		switch v.(type) {
		case array:
			return nil, invalid("Cannot convert an array value in an array value.")
		case *vector:
			return nil, invalid("Cannot convert a vector value in an array value.")
		}
		a[i] = v
	}
	return a, nil
}

func mapFromProto(top string, fields map[string]*pb.Value, depth int) (value, error) {
	if fields[typeKey].GetStringValue() == vectorType {
		return vectorFromProto(fields)
	}
	if depth > maxDepth || fields[typeKey] != nil {
		return nil, invalid("Property %s contains an invalid nested entity.", top)
	}
	o := make(object, len(fields))
	for name, f := range fields {
		if err := checkFieldName(name); err != nil {
			return nil, err
		}
		v, err := fromProto(top, f, depth+1)
		if err != nil {
			return nil, err
		}
		o[name] = v
	}
	return o, nil
}

// toProto returns the inverse of fromProto.
func toProto(v value) *pb.Value {
	switch v := v.(type) {
	case bool:
		return &pb.Value{ValueType: &pb.Value_BooleanValue{BooleanValue: v}}
	case int64:
		return &pb.Value{ValueType: &pb.Value_IntegerValue{IntegerValue: v}}
	case float64:
		return &pb.Value{ValueType: &pb.Value_DoubleValue{DoubleValue: v}}
	case timestamp:
		return &pb.Value{ValueType: &pb.Value_TimestampValue{TimestampValue: v.proto()}}
	case string:
		return &pb.Value{ValueType: &pb.Value_StringValue{StringValue: v}}
	case []byte:
		return &pb.Value{ValueType: &pb.Value_BytesValue{BytesValue: v}}
	case reference:
		return &pb.Value{ValueType: &pb.Value_ReferenceValue{ReferenceValue: string(v)}}
	case geoPoint:
		return &pb.Value{ValueType: &pb.Value_GeoPointValue{GeoPointValue: &latlng.LatLng{Latitude: v.lat, Longitude: v.lng}}}
	case array:
		return arrayToProto(v)
	case object:
		return mapToProto(objectToProto(v))
	case *vector:
		return v.proto()
	}
	return &pb.Value{ValueType: &pb.Value_NullValue{NullValue: structpb.NullValue_NULL_VALUE}}
}

func objectToProto(o object) map[string]*pb.Value {
	fields := make(map[string]*pb.Value, len(o))
	for name, v := range o {
		fields[name] = toProto(v)
	}
	return fields
}

func mapToProto(fields map[string]*pb.Value) *pb.Value {
	return &pb.Value{ValueType: &pb.Value_MapValue{MapValue: &pb.MapValue{Fields: fields}}}
}

func arrayToProto(a array) *pb.Value {
	values := make([]*pb.Value, len(a))
	for i, v := range a {
		values[i] = toProto(v)
	}
	return &pb.Value{ValueType: &pb.Value_ArrayValue{ArrayValue: &pb.ArrayValue{Values: values}}}
}

func (t timestamp) proto() *timestamppb.Timestamp {
	return timestamppb.New(time.UnixMicro(int64(t)))
}
