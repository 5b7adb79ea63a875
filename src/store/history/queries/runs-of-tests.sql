{{runs WHERE test IN {tests:Array(String)}}}
