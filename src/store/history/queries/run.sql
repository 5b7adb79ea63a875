toFloat64(bitShiftRight(cityHash64(event_time, new_sha, old_sha, instance_type), 11))
