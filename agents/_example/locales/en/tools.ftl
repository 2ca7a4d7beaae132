tool-example-tool = Gives a text back, to show how a tool works.
tool-example-tool-param-test-input = any text

tool-response = Gives the final answer, signed by the example agent.
tool-response-param-text = the complete answer
