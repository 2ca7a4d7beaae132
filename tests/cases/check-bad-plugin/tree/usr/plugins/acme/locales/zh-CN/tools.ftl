tool-report = 报告 { $file }
