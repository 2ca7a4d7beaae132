export default class Broken {
