SELECT name FROM system.databases WHERE name = {database:String}
