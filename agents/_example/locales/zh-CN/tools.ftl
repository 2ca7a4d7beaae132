tool-example-tool = 原样返回一段文本，演示工具如何工作。
tool-example-tool-param-test-input = 任意文本

tool-response = 给出最终答复，并署名为示例智能体。
tool-response-param-text = 完整的答复
