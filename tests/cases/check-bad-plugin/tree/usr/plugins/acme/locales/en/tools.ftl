tool-report = Reports
tool-report-param-path = the file
