DELETE FROM {{table:NAME}} WHERE toYYYYMM({time:Identifier}) = {month:UInt32}
