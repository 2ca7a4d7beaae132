export default class {
