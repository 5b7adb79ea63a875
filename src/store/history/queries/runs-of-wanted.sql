{{runs WHERE test IN {tests:Array(String)} AND query_hash IN {hashes:Array(UInt64)} AND arch IN {architectures:Array(String)}}}
