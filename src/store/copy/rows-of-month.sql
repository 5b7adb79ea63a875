-- A part of a month: its rows are spread over {parts} by the columns that sort them.
SELECT {{columns}}
FROM {table:Identifier}
WHERE toYYYYMM({time:Identifier}) = {month:UInt32} AND toUnixTimestamp({time:Identifier}) >= {after:UInt32}
    AND cityHash64({{key}}) % {parts:UInt32} = {part:UInt32}
FORMAT TabSeparated
