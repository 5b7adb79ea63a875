SELECT name FROM system.tables WHERE database = {database:String} AND name = {table:String}
