// refused: refuses_libraries.cu:2:10: fatal error: thrust/device_vector.h: Thrust is not part of labcc
#include <thrust/device_vector.h>
int main() { return thrust::device_vector<int>(3).size() == 3; }
