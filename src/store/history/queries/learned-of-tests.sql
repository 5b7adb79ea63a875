{{thresholds WHERE test IN {tests:Array(String)}}}
