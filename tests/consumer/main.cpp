#include <iostream>
#include <tandem/version.hpp>

int main() { std::cout << "Tandem " << tandem::version << '\n'; }
