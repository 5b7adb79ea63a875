-- `queryHash` of `query-hash.ts`, of rows whose index is 4294967295 where it is unknown. Short, since it is computed for each row.
halfMD5(if(query_name = '', concat(hex(test), '#', toString(query_index)), concat(test, '\0', query_name)))
