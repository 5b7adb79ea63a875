{{series WHERE test IN {tests:Array(String)}}}
